import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Job } from '../executor.ts';

/**
 * Recorded output of a real program in `NAME.jsonl`, the expected result in `NAME.expected.jsonl`, the prompt, if it matters, in
 * `NAME.prompt.md`, and further fields of the job in `NAME.job.json`.
 */
export interface Transcript {
  readonly name: string;
  readonly lines: readonly string[];
  /** Absent until the expected result is recorded. */
  readonly expected?: string;
  readonly prompt?: string;
  readonly job?: Partial<Job>;
}

/** The transcripts in a folder; none if the folder does not exist. */
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
