import { dirname, join } from 'node:path';
import { LIMITS } from '../domain/limits.ts';
import { diffFileName, reportFileName } from '../domain/run/packet-text.ts';
import { isReadOnly, type Task } from '../domain/task/task.ts';
import type { RunId } from '../domain/values.ts';
import type { FileOp } from '../platform/file-ops.ts';
import { cleaned, newestReport, packetFor } from '../store/queries/packet.ts';
import { projects } from '../store/records/projects.ts';
import { runIndex } from '../store/records/runs.ts';
import { tasks } from '../store/records/tasks.ts';
import { diffText } from '../workspace/history/changes.ts';
import type { FleetServices } from './services.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Around = Pick<FleetServices, 'store' | 'output'>;

/**
 * The whole reports of what the packet tells of, and for whoever only reads also the changes: beside the prompt, where an
 * agent can read them whatever tools and whatever sandbox it has. A run directory is never written to by another run.
 */
export async function packetFiles(
  house: Around,
  env: Env,
  { task, runDirectory }: { readonly task: Task; readonly runDirectory: string },
): Promise<FileOp[]> {
  const clean = cleaned(house.output.redactor);
  const { dependencies, reviews } = await packetFor(house.store, task, clean);
  const told = [...dependencies, ...reviews].map(({ taskId }) => taskId);
  const share = diffShare(told.length);
  const file = (name: string, text: string): FileOp => ({
    lay: 'file',
    path: join(runDirectory, name),
    below: dirname(runDirectory),
    text,
  });
  const steps: FileOp[] = [];
  for (const id of told) {
    const report = await newestReport(house.store, id);
    if (report) steps.push(file(reportFileName(id), `${JSON.stringify(await clean(report), undefined, 2)}\n`));
    const diff = isReadOnly(task) ? await diffOf(house, env, id, share) : undefined;
    if (diff !== undefined) steps.push(file(diffFileName(id), (await withoutSecretsOf(id, house))(diff)));
  }
  return steps;
}

/** How much of the changes of each of so many tasks is laid out. */
export const diffShare = (tasksTold: number): number =>
  Math.min(LIMITS.packetDiffBytes.value, Math.floor(LIMITS.packetDiffsBytes.value / Math.max(1, tasksTold)));

const AGENTS_ASKED = 20;

/** The secrets one agent had are none of another's. */
async function withoutSecretsOf(taskId: string, { store, output }: Around): Promise<(text: string) => string> {
  const hits = await store.scan({ index: runIndex.agents(taskId), limit: AGENTS_ASKED, reverse: true });
  return output.known(hits.map(({ key }) => key.id as RunId));
}

async function diffOf({ store }: Around, env: Env, taskId: string, maxBytes: number): Promise<string | undefined> {
  const other = (await tasks.get(store, taskId))?.body;
  const project = other?.projectId && (await projects.get(store, other.projectId))?.body;
  const tip = other?.work?.tip ?? other?.work?.kept?.commit;
  if (!other?.work || !project || !tip) return undefined;
  const { base } = other.work;
  // A repository that is gone, or has lost the commit, does not keep anybody from starting.
  return diffText(project.path, { base, tip, maxBytes }, env).then(
    ({ text, cut }) => (cut ? `${text}\n# The rest is left out: git diff ${base}..${tip}\n` : text),
    (error: unknown) => `# It cannot be compared: ${error instanceof Error ? error.message : String(error)}\n`,
  );
}
