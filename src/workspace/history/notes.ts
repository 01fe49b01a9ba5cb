import { Fault } from '../../domain/fault.ts';
import { answered } from '../git/git.ts';
import { ask, historyOf } from '../git/in-repository.ts';
import { ownGitDir, type ScratchGitDir } from '../git/scratch-git-dir.ts';
import { gitDirectory } from '../git-directory.ts';
import { commitOf } from '../land/target.ts';

const NOTES = 'refs/notes/fleet';
const SCRATCH = 'refs/heads/notes';
const ATTEMPTS = 50;

/** Where git looks for the note of a commit: its id, cut after two digits as often as there are many notes. */
const placesOf = (commit: string): [string, string, string] => [
  `${commit.slice(0, 2)}/${commit.slice(2)}`,
  commit,
  `${commit.slice(0, 2)}/${commit.slice(2, 4)}/${commit.slice(4)}`,
];

/** What is written: the note of a commit, or a text under a name git keeps among the notes but does not read. */
export type NoteSubject = { readonly commit: string } | { readonly name: string };

const pathsOf = (subject: NoteSubject): readonly string[] => ('commit' in subject ? placesOf(subject.commit) : [subject.name]);

/** The text about each subject, in the same order; undefined where nothing is said. */
export async function readNotes(
  repository: string,
  subjects: readonly NoteSubject[],
  env: NodeJS.ProcessEnv,
): Promise<(string | undefined)[]> {
  const notes = await commitOf(repository, NOTES, env);
  if (notes === undefined || subjects.length === 0) return subjects.map(() => undefined);
  await using side = await historyOf(repository, env);
  return await readAt(side, notes, subjects);
}

/**
 * The same text about many subjects, in one commit of the notes. What was said of a subject before stays: a commit has one
 * origin, and who brings it along later is not it. The ref moves by compare-and-set; whoever loses looks again.
 */
export async function writeNotes(
  repository: string,
  subjects: readonly NoteSubject[],
  text: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  await using side = await ownGitDir(await gitDirectory(repository), {}, env);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = await commitOf(repository, NOTES, env);
    const said = before === undefined ? [] : await readAt(side, before, subjects);
    const silent = subjects.filter((_, at) => said[at] === undefined);
    if (silent.length === 0) return;
    const after = await commitNotes(side, { subjects: silent, text, before });
    const args = ['update-ref', '-m', 'fleet: annotate', NOTES, after, before ?? '0'.repeat(after.length)];
    const moved = await ask(repository, args, env, { mode: 'user' });
    if (moved.ok) return;
    if (!/lock/.test(moved.err)) throw new Fault('unavailable', `git could not write ${NOTES}: ${moved.err.slice(0, 300)}`);
  }
  throw new Fault('unavailable', `others write ${NOTES} all the time: try again`);
}

async function readAt(side: ScratchGitDir, notes: string, subjects: readonly NoteSubject[]): Promise<(string | undefined)[]> {
  const wanted = subjects.flatMap((subject) => pathsOf(subject).map((path) => `${notes}:${path}`));
  const texts = await readObjects(side, wanted);
  let at = 0;
  return subjects.map((subject) => {
    const places = texts.slice(at, at + pathsOf(subject).length);
    at += places.length;
    return places.find((place) => place !== undefined);
  });
}

/** The content of objects by name, one process for all; undefined where there is none. */
export async function readObjects(side: ScratchGitDir, names: readonly string[]): Promise<(string | undefined)[]> {
  const ran = await side.run(['cat-file', '--batch'], { input: names.map((name) => `${name}\n`).join('') });
  const out = answered(ran, 'read objects', 'not_found');
  let at = 0;
  return names.map(() => {
    const end = out.indexOf('\n', at);
    const size = /^[0-9a-f]+ \w+ (\d+)$/.exec(out.toString('latin1', at, end))?.[1];
    at = end + 1;
    if (size === undefined) return undefined;
    const text = out.toString('utf8', at, at + Number(size));
    at += Number(size) + 1;
    return text;
  });
}

async function commitNotes(
  side: ScratchGitDir,
  {
    subjects,
    text,
    before,
  }: { readonly subjects: readonly NoteSubject[]; readonly text: string; readonly before: string | undefined },
): Promise<string> {
  const input = [
    `blob\nmark :1\n${data(text)}`,
    `commit ${SCRATCH}\ncommitter Fleet <fleet@localhost> now\n${data('fleet: annotate\n')}`,
    before === undefined ? '' : `from ${before}\n`,
    ...subjects.map((subject) => `M 100644 :1 ${pathsOf(subject)[0] ?? ''}\n`),
    'done\n',
  ].join('');
  answered(
    await side.run(['fast-import', '--quiet', '--done', '--force', '--date-format=now'], { input }),
    'write the notes',
    'not_found',
  );
  return answered(await side.run(['rev-parse', '--verify', SCRATCH]), 'find the notes', 'not_found')
    .toString('utf8')
    .trim();
}

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
