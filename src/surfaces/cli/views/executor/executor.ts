import type { OutputOf } from '../../../../contract/call.ts';
import type { ExecutorView } from '../../../../contract/executor.ts';
import { columns, pairs } from '../../terminal/columns.ts';
import { plainLine } from '../../terminal/plain.ts';
import { wrap } from '../../terminal/wrap.ts';
import { homely, type Paint, type ViewStyle } from '../style.ts';

const MARKS: Readonly<Record<ExecutorView['state'], readonly [string, (paint: Paint) => (text: string) => string]>> = {
  ready: ['✓', (paint) => paint.green],
  signed_out: ['!', (paint) => paint.yellow],
  missing: ['–', (paint) => paint.dim],
  broken: ['✗', (paint) => paint.red],
  off: ['–', (paint) => paint.dim],
};

export const executorList = ({ items }: OutputOf<'executor.list'>, look: ViewStyle): string => {
  const advice = withAccounts(items).flatMap(({ name, repair }) =>
    repair === undefined ? [] : [[name, plainLine(repair)] as const],
  );
  const { paint, width } = look;
  return `${executorTable(items, look)}${advice.length === 0 ? '' : `\n${paint.bold('Repair')}\n${pairs(advice, { width, indent: '  ', paint: paint.cyan })}`}`;
};

/** One line for each, whatever the width; what is cut is on the page of the executor. */
export function executorTable(items: readonly ExecutorView[], look: ViewStyle): string {
  const { paint, width } = look;
  const table = columns<ExecutorView>(
    withAccounts(items),
    [
      { title: '', cell: ({ state }) => MARKS[state][0], paint: (text, { state }) => MARKS[state][1](paint)(text) },
      { title: 'EXECUTOR', cell: ({ name, isDefault }) => `${plainLine(name)}${isDefault ? ' *' : ''}`, paint: paint.bold },
      { title: 'VERSION', cell: versionText, least: 9 },
      { title: 'PROVED', cell: ({ program }) => plainLine(program?.proved ?? '–') },
      { title: 'SIGNED IN', cell: ({ signedIn, state }) => (state === 'broken' && signedIn === 'unknown' ? '–' : signedIn) },
      { title: 'CAN', cell: ({ can }) => canText(can), least: 12, expendable: 1 },
      { title: 'WHERE', cell: (view) => whereText(view, look), least: 14, expendable: 2 },
    ],
    { width, heading: paint.dim },
  );
  const isMarked = (sign: string) => table.includes(sign);
  const notes = [
    ...(isMarked(NEWER) ? [`${NEWER} newer than the newest version that was proved`] : []),
    ...(isMarked(OLDER) ? [`${OLDER} older than it`] : []),
    ...(items.some(({ isDefault }) => isDefault) ? ['* of tasks that name none'] : []),
  ];
  return `${table}${notes.length === 0 ? '' : `${paint.dim(notes.join('   '))}\n`}`;
}

/** Each account stands below its executor, which it shares the program with. */
export const withAccounts = (items: readonly ExecutorView[]): ExecutorView[] =>
  items.flatMap((view) => [
    view,
    ...(view.accounts ?? []).map(
      ({ name, signedIn, problem, repair }): ExecutorView => ({
        ...view,
        name: `${view.name}/${name}`,
        isDefault: false,
        state: view.state === 'missing' || view.state === 'broken' ? view.state : standing(signedIn, problem),
        signedIn,
        problem,
        // To sign in there must be a program first.
        repair: view.program?.found || signedIn === 'unknown' ? repair : undefined,
      }),
    ),
  ]);

const standing = (signedIn: ExecutorView['signedIn'], problem: string | undefined): ExecutorView['state'] => {
  if (signedIn === 'no') return 'signed_out';
  return problem === undefined ? 'ready' : 'broken';
};

const NEWER = '▲';
const OLDER = '▼';

function versionText({ program, origin }: ExecutorView): string {
  if (!program) return origin === 'built_in' ? "Fleet's own" : '–';
  if (!program.found) return 'not found';
  const sign = program.age === 'newer' ? ` ${NEWER}` : program.age === 'older' ? ` ${OLDER}` : '';
  return `${plainLine(program.version ?? 'unknown')}${sign}`;
}

/** What it can, or what it cannot: whichever is shorter. */
export function canText(can: ExecutorView['can']): string {
  if (!can) return '–';
  const words = Object.entries(can);
  const able = words.filter(([, is]) => is).map(([word]) => word);
  const unable = words.filter(([, is]) => !is).map(([word]) => word);
  if (unable.length === 0) return 'everything';
  if (able.length === 0) return 'only run';
  return able.length <= unable.length ? able.join(', ') : `all but ${unable.join(', ')}`;
}

function whereText({ program, problem, file, state }: ExecutorView, look: ViewStyle): string {
  if (state === 'broken' && problem !== undefined) return plainLine(problem);
  return homely(program?.path ?? file ?? '', look) || '–';
}

export function executorPage(view: ExecutorView, look: ViewStyle): string {
  const { paint, width } = look;
  const {
    name,
    state,
    origin,
    file,
    program,
    signedIn,
    signedInBy,
    accounts,
    sandbox,
    can,
    model,
    isDefault,
    contextLimit,
    problem,
    repair,
  } = view;
  const [sign, colour] = MARKS[state];
  const path = (text: string | undefined) => (text === undefined ? undefined : homely(text, look));
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['comes', [origin === 'built_in' ? 'with Fleet' : `as a ${origin}`, path(file)].filter(Boolean).join(': ')],
    ['program', program && [plainLine(program.command), program.found ? path(program.path) : 'not found'].join(': ')],
    ['wrapper', path(program?.wrapper)],
    ['version', program?.version === undefined ? undefined : versionText(view)],
    ['proved', program?.proved === undefined ? undefined : plainLine(program.proved)],
    ['signed in', signedInBy === undefined ? signedIn : `${signedIn}: ${homely(signedInBy, look)}`],
    ...(accounts ?? []).map((one) => [`account ${plainLine(one.name)}`, accountText(one, look)] as const),
    ['in a sandbox', sandbox && sandboxText(sandbox)],
    ['model', isDefault ? plainLine(model ?? "the program's own default") : undefined],
    ['window', contextLimit === undefined ? undefined : `${contextLimit} tokens`],
    ['can', can && (namesOf(can, true) || 'only run')],
    ['cannot', can && (namesOf(can, false) || undefined)],
    ['repair', repair === undefined ? undefined : plainLine(repair)],
  ];
  const known = rows.flatMap(([word, text]) => (text === undefined ? [] : [[word, text] as const]));
  const trouble = problem === undefined ? '' : `${wrap(plainLine(problem), Math.max(20, width)).join('\n')}\n`;
  return `${colour(paint)(sign)} ${paint.bold(plainLine(name))} ${state.replace('_', ' ')}${isDefault ? ', for tasks that name none' : ''}\n${trouble}\n${pairs(known, { width, indent: '  ', paint: paint.dim })}\nfleet executor test ${plainLine(name)} tries it.\n`;
}

function accountText({ signedIn, signedInBy, problem, repair }: Account, look: ViewStyle): string {
  if (problem !== undefined) return [problem, repair].flatMap((part) => (part === undefined ? [] : [plainLine(part)])).join('; ');
  return signedInBy === undefined ? `signed in: ${signedIn}` : `signed in by ${homely(signedInBy, look)}`;
}

const sandboxText = ({ works, problem, repair, limits }: NonNullable<ExecutorView['sandbox']>): string =>
  works
    ? ['works', ...(limits === undefined ? [] : [plainLine(limits)])].join('; ')
    : `does not work: ${[problem, repair].flatMap((part) => (part === undefined ? [] : [plainLine(part)])).join('; try: ')}`;

type Account = NonNullable<ExecutorView['accounts']>[number];

const namesOf = (can: NonNullable<ExecutorView['can']>, wanted: boolean): string =>
  Object.entries(can)
    .filter(([, is]) => is === wanted)
    .map(([word]) => word)
    .join(', ');
