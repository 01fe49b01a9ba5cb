import { answered } from '../git/git.ts';
import { historyOf } from '../git/in-repository.ts';

/** Text that a span of commits brings in, and where it stands: a path as git writes it, or nothing for what commits say. */
export interface AddedText {
  readonly path?: string;
  readonly text: string;
}

interface Wish {
  readonly base: string;
  readonly tip: string;
  readonly maxBytes: number;
}

const PATCH = ['-r', '-p', '-U0', '--text', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color'];

/**
 * All that `tip` brings in beside `base`: what each commit adds, also where a later one takes it out again, what merges add by
 * themselves, and what the commits say. Undefined where that is more than `maxBytes`.
 */
export async function addedTexts(
  repository: string,
  { base, tip, maxBytes }: Wish,
  env: NodeJS.ProcessEnv,
): Promise<readonly AddedText[] | undefined> {
  await using side = await historyOf(repository, env);
  const span = ['--no-show-signature', tip, `^${base}`, '--'];
  const asked: readonly (readonly string[])[] = [
    ['log', '--format=%B', ...span],
    ['log', '--format=', ...PATCH, '--cc', ...span],
    ['diff-tree', '--no-commit-id', ...PATCH, base, tip],
  ];
  const [said, each, all] = await Promise.all(asked.map((args) => side.run(args, { maxBytes })));
  if (!said || !each || !all || [said, each, all].some(({ stopped }) => stopped === 'output')) return undefined;
  const read = (ran: typeof said) => answered(ran, `read what ${tip} adds to ${base}`, 'not_found').toString('utf8');
  return [{ text: read(said) }, ...addedIn(read(each)), ...addedIn(read(all))];
}

/** Lines that a patch adds, each file's together. Within a file's section only its head says where it stands. */
export function addedIn(patch: string): AddedText[] {
  const found: AddedText[] = [];
  let at: { path: string; isHead: boolean; signs: number; lines: string[] } | undefined;
  const close = () => at && at.lines.length > 0 && found.push({ path: at.path, text: at.lines.join('\n') });
  for (const line of patch.split('\n')) {
    const start = /^diff --(?:git|cc|combined) (.*)$/.exec(line);
    if (start) {
      close();
      at = { path: start[1] ?? '', isHead: true, signs: 1, lines: [] };
    } else if (at?.isHead && line.startsWith('+++ '))
      at.path = line
        .slice('+++ '.length)
        .replace(/^"?b\//, '')
        .replace(/["\t]*$/, '');
    else if (at && /^@@+ /.test(line)) Object.assign(at, { isHead: false, signs: line.indexOf(' ') - 1 });
    else if (at && !at.isHead && line.slice(0, at.signs).includes('+')) at.lines.push(line.slice(at.signs));
  }
  close();
  return found;
}
