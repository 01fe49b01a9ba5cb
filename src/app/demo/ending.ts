import { type GraphCommit, graphOf } from '../../surfaces/cli/demo/graph.ts';
import type { DemoTask } from '../../surfaces/cli/demo/lanes.ts';
import type { DemoResult } from '../../surfaces/cli/demo/result.ts';
import { shortId } from '../../surfaces/cli/views/style.ts';
import { git, type Scratch } from './scratch.ts';

export async function endingOf(acts: readonly DemoTask[], scratch: Scratch, elapsedMs: number): Promise<DemoResult> {
  const { work } = acts.at(-1)?.task ?? {};
  const target = work?.target ?? 'main';
  const landed = work?.landed?.commit ?? target;
  return {
    elapsedMs,
    target,
    landed,
    graph: graphOf({
      trunk: await commits(scratch, '--first-parent', landed),
      // That tasks begin with what others made takes merges of its own; they say nothing to a reader.
      beside: await commits(scratch, '--no-merges', `${landed}^1..${landed}^2`),
      fork: await git(scratch, 'merge-base', `${landed}^1`, `${landed}^2`),
    }),
    told: acts.map(({ name, told }) => ({ lane: name, answer: told })),
    next: nextOf(acts, scratch),
    directory: scratch.directory,
  };
}

const FIELD = '\u001f';

async function commits(scratch: Scratch, ...which: readonly string[]): Promise<GraphCommit[]> {
  const text = await git(scratch, 'log', `--format=%H${FIELD}%s${FIELD}%an`, ...which);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [id = '', subject = '', author = ''] = line.split(FIELD);
      return { id, subject, author };
    });
}

/** Three commands, to be typed as they stand. */
function nextOf([first]: readonly DemoTask[], { directory, repository }: Scratch): DemoResult['next'] {
  const fleet = `fleet --home ${quoted(directory)}`;
  return [
    [`${fleet} task report ${shortId(first?.task.id ?? '')}`, 'what the first agent claimed, and what the gate found'],
    [`${fleet} blame ${quoted(`${repository}/tempo.js`)}`, 'which agent is behind each line'],
    ["fleet project add . --verify 'npm test'", 'the same for a repository of yours; fleet task create hands in work'],
  ];
}

const quoted = (path: string): string => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

/** The same for a program. */
export const factsOf = (ending: DemoResult, acts: readonly DemoTask[], { directory, repository }: Scratch) => ({
  ok: true,
  seconds: Math.round(ending.elapsedMs) / 1000,
  home: directory,
  repository,
  landed: { commit: ending.landed, on: ending.target },
  tasks: acts.map(({ name, task }) => ({ name, id: task.id, state: task.phase.state, repairs: task.repairs })),
  evidence: acts.flatMap(({ name, told }) =>
    told.evidence
      .map(({ command, commit, green, exit, at }) => ({ task: name, command, commit, green, exit, at }))
      .toSorted((a, b) => (a.at < b.at ? -1 : 1)),
  ),
  report: acts.at(-1)?.told.reports[0],
  next: ending.next.map(([command]) => command),
});
