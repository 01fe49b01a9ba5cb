const MAX_BYTES = 100;
const ID_LENGTH = 8;
const MAX_EXECUTOR_BYTES = 30;

/** `{executor}/{slug of title}/{last 8 of id}`: valid for git whatever the title is, and at most 100 bytes. */
export function branchName(parts: { readonly executor: string; readonly title: string; readonly id: string }): string {
  const id = slug(parts.id.slice(-ID_LENGTH), ID_LENGTH) || 'task';
  const executor = slug(parts.executor, MAX_EXECUTOR_BYTES) || 'agent';
  const title = slug(parts.title, MAX_BYTES - bytes(executor) - bytes(id) - '//'.length) || 'task';
  return `${executor}/${title}/${id}`;
}

/**
 * Letters and digits of every script; anything else is a dash between them. So no part begins or ends with what git forbids
 * there, and the name means the same to a shell, a URL and a file system that folds case or composes accents.
 */
function slug(text: string, maxBytes: number): string {
  const words = text
    .normalize('NFC')
    .toLowerCase()
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  let kept = '';
  for (const letter of words.replace(/^-/, '')) {
    if (bytes(kept) + bytes(letter) > maxBytes) break;
    kept += letter;
  }
  return kept.replace(/-$/, '');
}

const bytes = (text: string): number => Buffer.byteLength(text);
