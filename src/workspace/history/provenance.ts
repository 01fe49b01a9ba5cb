import { createHash } from 'node:crypto';
import { Fault } from '../../domain/fault.ts';
import { historyOf } from '../git/in-repository.ts';
import type { ScratchGitDir } from '../git/scratch-git-dir.ts';
import { commitOf } from '../land/target.ts';
import { type Blamed, blameLines } from './blame-lines.ts';
import { type NoteSubject, readNotes, readObjects, writeNotes } from './notes.ts';

export interface Provenance {
  readonly task: string;
  readonly run: string;
  readonly executor: string;
  readonly model?: string | undefined;
}

export interface BlamedLine {
  readonly line: number;
  readonly text: string;
  readonly commit: string;
  readonly author: string;
  readonly at: string;
  readonly summary: string;
  readonly provenance?: Provenance | undefined;
}

/**
 * Notes in refs/notes/fleet on these commits. Beside each note the same is written down under the commit's author, time and
 * subject, which a rebase keeps while it changes the id.
 */
export async function writeProvenance(
  repository: string,
  commits: readonly string[],
  provenance: Provenance,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (commits.length === 0) return;
  await using side = await historyOf(repository, env);
  const texts = await readObjects(side, commits);
  const missing = commits.find((_, at) => texts[at] === undefined);
  if (missing !== undefined) throw new Fault('not_found', `there is no commit ${missing}`, { commit: missing });
  const subjects: NoteSubject[] = [...commits.map((commit) => ({ commit })), ...texts.map((text) => authored(text ?? ''))];
  await writeNotes(repository, subjects, trailersOf(provenance), env);
}

/** Last lines of a commit message. */
export const trailersOf = ({ task, run, executor, model }: Provenance): string =>
  [
    ['Task', task],
    ['Run', run],
    ['Executor', executor],
    ['Model', model],
  ]
    .flatMap(([name, value]) => (value === undefined ? [] : [`Fleet-${name}: ${value.replaceAll(/\s+/g, ' ').trim()}\n`]))
    .join('');

/** Who wrote each line of a file, and which task, run, executor and model stand behind it. */
export async function blame(
  repository: string,
  wish: { readonly file: string; readonly ref?: string | undefined; readonly from?: number; readonly to?: number },
  env: NodeJS.ProcessEnv,
): Promise<readonly BlamedLine[]> {
  const ref = wish.ref ?? 'HEAD';
  const tip = await commitOf(repository, ref, env);
  if (tip === undefined) throw new Fault('not_found', `there is no commit ${JSON.stringify(ref)}`, { ref });
  await using side = await historyOf(repository, env);
  const lines = await blameLines(side, { ...wish, tip });
  const commits = [...new Set(lines.map(({ commit }) => commit))];
  const origins = await originsOf(side, { repository, tip, commits }, env);
  return lines.map((line: Blamed) => {
    const provenance = origins.get(line.commit);
    return provenance === undefined ? line : { ...line, provenance };
  });
}

/** The note of a commit, else its own trailers, else what a rebase has kept, else the trailers of the merge that brought it in. */
async function originsOf(
  side: ScratchGitDir,
  { repository, tip, commits }: { readonly repository: string; readonly tip: string; readonly commits: readonly string[] },
  env: NodeJS.ProcessEnv,
): Promise<Map<string, Provenance>> {
  const objects = await readObjects(side, commits);
  const subjects: NoteSubject[] = [...commits.map((commit) => ({ commit })), ...objects.map((text) => authored(text ?? ''))];
  const notes = await readNotes(repository, subjects, env);
  const found = new Map<string, Provenance>();
  for (const [at, commit] of commits.entries()) {
    const texts = [notes[at], messageOf(objects[at] ?? ''), notes[commits.length + at]];
    const origin = texts.map((text) => readTrailers(text ?? '')).find((read) => read !== undefined);
    if (origin !== undefined) found.set(commit, origin);
  }
  const unknown = commits.filter((commit) => !found.has(commit)).slice(0, MAX_MERGES_SOUGHT);
  for (const commit of unknown) {
    const merge = await mergeOf(side, commit, tip);
    const origin = merge === undefined ? undefined : readTrailers(messageOf((await readObjects(side, [merge]))[0] ?? ''));
    if (origin !== undefined) found.set(commit, origin);
  }
  return found;
}

const MAX_MERGES_SOUGHT = 100;

/** The oldest commit of the first-parent history of `tip` that descends from `commit`: where it entered. */
async function mergeOf(side: ScratchGitDir, commit: string, tip: string): Promise<string | undefined> {
  const [line, descendants] = await Promise.all([
    side.run(['rev-list', '--first-parent', tip, `^${commit}`, '--']),
    side.run(['rev-list', '--ancestry-path', tip, `^${commit}`, '--']),
  ]);
  const isDescendant = new Set(descendants.out.toString('latin1').split('\n'));
  return line.out
    .toString('latin1')
    .split('\n')
    .findLast((one) => one !== '' && isDescendant.has(one));
}

const messageOf = (commit: string): string => commit.slice(commit.indexOf('\n\n') + 2);

/** A squash may carry the trailers of many: the last are those of what came last. */
function readTrailers(text: string): Provenance | undefined {
  const block = text.slice([...text.matchAll(/^Fleet-Task: /gm)].at(-1)?.index ?? text.length);
  const valueOf = (name: string) => new RegExp(`^Fleet-${name}: (.+)$`, 'm').exec(block)?.[1]?.trim();
  const [task, run, executor, model] = ['Task', 'Run', 'Executor', 'Model'].map(valueOf);
  if (task === undefined || run === undefined || executor === undefined) return undefined;
  return model === undefined ? { task, run, executor } : { task, run, executor, model };
}

/** A name for who wrote a commit, when, and what about. */
function authored(commit: string): NoteSubject {
  const author = /^author (.*)$/m.exec(commit)?.[1] ?? '';
  const subject = messageOf(commit).split('\n', 1)[0] ?? '';
  return { name: `authored/${createHash('sha256').update(`${author}\n${subject}`).digest('hex').slice(0, 40)}` };
}
