import { pairs } from '../../terminal/columns.ts';
import { plainLine } from '../../terminal/plain.ts';
import { homely, type ViewStyle } from '../style.ts';

/** What `fleet` sees from the directory it is called in. */
export interface HereView {
  readonly version: string;
  readonly directory: string;
  readonly repository?: { readonly path: string; readonly branch?: string | undefined; readonly hasCommit: boolean };
  /** The directory is gone, or nobody may look at it. */
  readonly problem?: string;
  readonly project?: string;
  /** Of the project, else of the whole fleet: tasks by phase. */
  readonly tasks: Readonly<Record<string, number>>;
  readonly engineRuns: boolean;
  readonly agents: readonly { readonly name: string; readonly ready: boolean; readonly problem?: string | undefined }[];
}

/** A few lines for somebody who has typed `fleet` and nothing else: what is here, and what to type next. */
export function herePage(here: HereView, look: ViewStyle): string {
  const { paint, width } = look;
  const facts = [
    ['Here', placeText(here, look)],
    ['Project', projectText(here)],
    ['Tasks', tasksText(here)],
    ['Agents', agentsText(here)],
    ['Engine', here.engineRuns ? 'runs' : 'does not run: fleet up starts it, and so does fleet task wait'],
  ] as const;
  return [
    `${paint.bold('fleet')} ${here.version}: runs a fleet of AI coding agents on your repositories\n`,
    pairs(facts, { width, indent: '  ', paint: paint.dim }),
    `Next\n${pairs(nextSteps(here), { width, indent: '  ', paint: paint.cyan })}`,
  ].join('\n');
}

function placeText({ directory, repository, problem }: HereView, look: ViewStyle): string {
  if (problem !== undefined) return `${homely(directory, look)}: ${plainLine(problem)}`;
  if (!repository) return `${homely(directory, look)}, which is in no repository`;
  const branch = repository.branch === undefined ? 'no branch' : `branch ${plainLine(repository.branch)}`;
  return `repository ${homely(repository.path, look)}, ${branch}${repository.hasCommit ? '' : ', no commit yet'}`;
}

function projectText({ project, repository }: HereView): string {
  if (project !== undefined) return plainLine(project);
  return repository ? 'not one yet: work here would be done in place' : 'none';
}

function tasksText({ tasks, project }: HereView): string {
  const present = Object.entries(tasks).filter(([, count]) => count > 0);
  if (present.length === 0) return project === undefined ? 'none' : 'none of this project yet';
  return present.map(([state, count]) => `${count} ${state}`).join(', ');
}

function agentsText({ agents }: HereView): string {
  const ready = agents.filter((agent) => agent.ready).map(({ name }) => plainLine(name));
  if (ready.length > 0) return `${ready.join(', ')} ready`;
  const almost = agents.find(({ problem }) => problem !== undefined && !problem.includes('not found'));
  return `none is ready${almost ? `; ${plainLine(almost.name)}: ${plainLine(almost.problem ?? '')}` : ''}`;
}

type Step = readonly [command: string, what: string];

/** What is most likely wanted, first. */
export function nextSteps(here: HereView): readonly Step[] {
  const steps = [...preparing(here), ...working(here)];
  return [...steps, ['fleet --help', 'every command']];
}

function preparing({ agents, repository, project, problem }: HereView): Step[] {
  return [
    ...(problem === undefined ? [] : [['cd DIR', 'to a directory that exists'] as const]),
    ...(agents.some(({ ready }) => ready) ? [] : [['fleet doctor', 'see which agent to install, and how to sign in'] as const]),
    ...(repository && !repository.hasCommit ? [['git commit', 'make a first commit: agents begin from one'] as const] : []),
    ...(repository?.hasCommit && project === undefined
      ? [["fleet project add . --verify 'npm test'", 'make this repository known, with the command that proves work'] as const]
      : []),
  ];
}

function working({ tasks, repository, project, problem }: HereView): Step[] {
  const needsYou = (tasks['blocked'] ?? 0) > 0;
  return [
    ...(needsYou ? [['fleet status', 'see what waits for you'] as const] : []),
    ...(problem === undefined && (project !== undefined || !repository)
      ? [
          [
            "fleet task create 'what is to be done'",
            repository ? 'give an agent work' : 'give an agent work in this directory',
          ] as const,
        ]
      : []),
    ...(!needsYou && Object.values(tasks).some((count) => count > 0) ? [['fleet status', 'how things stand'] as const] : []),
    ...(repository || project !== undefined ? [] : [['fleet demo', 'watch agents at work, without a key'] as const]),
  ];
}
