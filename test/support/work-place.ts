import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TaskJson, WorkHouse } from './work-house.ts';

/** A repository that is a project of a house with several. */
export interface Place {
  readonly name: string;
  readonly path: string;
  /** What git says there, with nothing of the repository's own carried out. */
  git(...args: string[]): Promise<string>;
  write(file: string, text: string): Promise<void>;
  /** Writes a file and commits everything, as a person does. */
  commit(file: string, text: string): Promise<void>;
  task(scenario: string, ...flags: string[]): Promise<string>;
}

/** A repository of its own as a project of its own. */
export async function place(
  house: WorkHouse,
  name: string,
  flags: readonly string[] = [],
  prepare?: (place: Place) => Promise<void>,
): Promise<Place> {
  const path = await house.repository(name);
  const made = placeAt(house, path, name);
  await prepare?.(made);
  await makeKnown(house, path, name, flags);
  return made;
}

export const makeKnown = (house: WorkHouse, path: string, name: string, flags: readonly string[]) =>
  house.ok(['project', 'add', path, '--name', name, '--executor', 'scripted', '--integration', 'auto', ...flags]);

export function placeAt(house: WorkHouse, path: string, name: string): Place {
  const git = async (...args: string[]): Promise<string> => {
    const answer = await house.git(path, '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', ...args);
    if (answer.code !== 0) throw new Error(`git ${args.join(' ')}: ${answer.err}`);
    return answer.out.trim();
  };
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(path, file)), { recursive: true });
    await writeFile(join(path, file), text);
  };
  return {
    name,
    path,
    git,
    write,
    commit: async (file, text) => {
      await write(file, text);
      await git('add', '-A');
      await git('commit', '-qm', file);
    },
    task: async (scenario, ...flags) => {
      const prompt = `\`\`\`scenario\n${scenario}\n\`\`\``;
      return (await house.ok(['task', 'create', '--project', name, '--prompt', prompt, '--json', ...flags])).json<TaskJson>().id;
    },
  };
}

/** Where a task stands, in one line. */
export const standing = ({ phase }: TaskJson): string =>
  phase.block ? `${phase.state}: ${phase.block.cause}: ${phase.block.what}` : phase.state;
