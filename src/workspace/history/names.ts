/** Names of files are bytes; here each byte is one character, up to the moment they are shown. */
export const namesIn = (listing: Buffer): string[] =>
  listing
    .toString('latin1')
    .split('\0')
    .filter((name) => name !== '');
