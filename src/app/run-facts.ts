import { join } from 'node:path';
import { z } from 'zod';
import type { RunFacts } from '../contract/run-events.ts';
import { LIMITS } from '../domain/limits.ts';
import type { RunOutput } from '../operations/scope.ts';
import { belowPlace } from '../platform/agent-path.ts';
import { openSafely } from '../platform/read-safely.ts';
import type { Redactor } from '../redact/redactor.ts';
import { readExit } from '../runner/run-facts.ts';
import { filesOf } from '../runner/run-place.ts';
import type { RunSecrets } from './run-secrets.ts';

const Launch = z.object({
  command: z.string(),
  args: z.array(z.string()),
  workDirectory: z.string(),
  mode: z.string(),
  env: z.array(z.string()),
});

/**
 * What the directory of a run tells of its start and its end. Its agent can write there: whatever is no plain file, too
 * long or nonsense is left out, and nothing leaves unredacted.
 */
export const factsOf =
  (runsDirectory: string, secrets: Pick<RunSecrets, 'redactorFor'>): RunOutput['facts'] =>
  async (runId) => {
    const directory = join(runsDirectory, runId);
    const redact = await secrets.redactorFor(runId);
    const [prompt, launch, exit] = await Promise.all([
      promptIn(join(directory, 'prompt.txt'), redact),
      launchIn(filesOf({ directory }).job, redact),
      readExit({ directory, id: runId, mark: '' }),
    ]);
    return {
      runId,
      directory,
      ...(prompt ? { prompt } : {}),
      ...(launch ? { launch } : {}),
      ...(exit ? { exit: { ...exit, ...(exit.refused === undefined ? {} : { refused: redact(exit.refused) }) } } : {}),
    };
  };

async function promptIn(file: string, redact: Redactor): Promise<RunFacts['prompt']> {
  const found = await beginning(file, LIMITS.promptBytes.value);
  return found && { text: shortened(redact(found.text)), bytes: found.size, file };
}

async function launchIn(file: string, redact: Redactor): Promise<RunFacts['launch']> {
  const found = await beginning(file, LIMITS.factsBytes.value);
  const launch = Launch.safeParse(found && jsonIn(found.text)).data;
  if (!launch) return undefined;
  const shown = (text: string): string => shortened(redact(text));
  return {
    command: shown(launch.command),
    args: launch.args.map(shown),
    workDirectory: shown(launch.workDirectory),
    mode: launch.mode,
    env: launch.env.map(shown),
  };
}

/** More is read than is shown: a secret is looked for before anything is cut. */
const shortened = (text: string): string =>
  text.length <= LIMITS.shownPromptCharacters.value ? text : `${text.slice(0, LIMITS.shownPromptCharacters.value)}…`;

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function beginning(file: string, most: number): Promise<{ readonly text: string; readonly size: number } | undefined> {
  const opened = await openSafely(belowPlace(file));
  if ('why' in opened) return undefined;
  await using handle = opened.file;
  const length = Math.min(opened.size, most);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
  return { text: buffer.toString('utf8', 0, bytesRead), size: opened.size };
}
