import { readFile } from 'node:fs/promises';

/** The key of the owner of a home, if there is one. */
export const adminToken = async (file: string): Promise<string | undefined> =>
  (await readFile(file, 'utf8').catch(() => undefined))?.trim();
