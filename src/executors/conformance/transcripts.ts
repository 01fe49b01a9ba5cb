import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What a real program printed once: `NAME.jsonl`, what follows from it: `NAME.expected.jsonl`, and its prompt, if it matters. */
export interface Transcript {
  readonly name: string;
  readonly lines: readonly string[];
  readonly expected: string;
  readonly prompt?: string;
}

export function transcriptsIn(folder: URL): readonly Transcript[] {
  return readdirSync(fileURLToPath(folder))
    .filter((file) => file.endsWith('.jsonl') && !file.endsWith('.expected.jsonl'))
    .map((file) => {
      const name = file.replace(/[.]jsonl$/, '');
      const prompt = new URL(`${name}.prompt.md`, folder);
      return {
        name,
        lines: readFileSync(new URL(file, folder), 'utf8').trimEnd().split('\n'),
        expected: readFileSync(new URL(`${name}.expected.jsonl`, folder), 'utf8'),
        ...(existsSync(prompt) ? { prompt: readFileSync(prompt, 'utf8') } : {}),
      };
    });
}
