import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Job } from '../executor.ts';

/**
 * What a real program printed once: `NAME.jsonl`, what follows from it: `NAME.expected.jsonl`, its prompt, if it matters:
 * `NAME.prompt.md`, and what else its job had that a plain one has not: `NAME.job.json`.
 */
export interface Transcript {
  readonly name: string;
  readonly lines: readonly string[];
  /** Absent where nobody has looked yet what should follow. */
  readonly expected?: string;
  readonly prompt?: string;
  readonly job?: Partial<Job>;
}

/** None where there is no such folder. */
export function transcriptsIn(folder: string): readonly Transcript[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl') && !file.endsWith('.expected.jsonl'))
    .map((file) => {
      const name = file.replace(/[.]jsonl$/, '');
      const textOf = (other: string): string | undefined => {
        const path = join(folder, other);
        return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
      };
      const [expected, prompt] = [textOf(`${name}.expected.jsonl`), textOf(`${name}.prompt.md`)];
      const job = textOf(`${name}.job.json`);
      return {
        name,
        lines: (textOf(file) ?? '').trimEnd().split('\n'),
        ...(expected === undefined ? {} : { expected }),
        ...(prompt === undefined ? {} : { prompt }),
        ...(job === undefined ? {} : { job: JSON.parse(job) as Partial<Job> }),
      };
    });
}
