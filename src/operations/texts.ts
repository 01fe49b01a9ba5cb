import { LIMITS } from '../domain/limits.ts';
import type { StoredText } from '../domain/values.ts';
import type { Scope } from './scope.ts';

type Texts = Pick<Scope, 'texts'>;

/** Long text goes to the second port before anything that names it is committed. */
export async function storeText({ texts }: Texts, text: string): Promise<StoredText> {
  const bytes = Buffer.byteLength(text);
  if (bytes <= LIMITS.inlineTextBytes.value) return { text };
  return { excerpt: excerptOf(text), blob: await texts.putBlob(text), bytes };
}

export const loadText = async ({ texts }: Texts, stored: StoredText): Promise<string> =>
  'text' in stored ? stored.text : texts.getBlob(stored.blob);

const excerptOf = (text: string) =>
  [...text.slice(0, 2 * LIMITS.excerptCharacters.value)].slice(0, LIMITS.excerptCharacters.value).join('');
