import type { ExecutorView } from '../../../../contract/executor.ts';
import { columns, pairs } from '../../terminal/columns.ts';
import { plainLine } from '../../terminal/plain.ts';
import { homely, type Paint, type ViewStyle } from '../style.ts';
import { executorTable, withAccounts } from './executor.ts';

export interface Finding {
  readonly name: string;
  /** `off`: not there, or not running, and Fleet does without. */
  readonly state: 'ok' | 'off' | 'broken';
  /** Whether Fleet itself cannot do without. */
  readonly needed: boolean;
  readonly path?: string;
  readonly version?: string;
  readonly detail?: string;
  /** What to type to get it going. */
  readonly repair?: string;
}

const MARKS: Readonly<Record<Finding['state'], readonly [string, (paint: Paint) => (text: string) => string]>> = {
  ok: ['✓', (paint) => paint.green],
  off: ['–', (paint) => paint.dim],
  broken: ['✗', (paint) => paint.red],
};

/** What is there, what is not, and one command for each thing that is not. */
export function doctorPage(findings: readonly Finding[], executors: readonly ExecutorView[], look: ViewStyle): string {
  const { paint, width } = look;
  const colour = (text: string, { state }: Finding) => MARKS[state][1](paint)(text);
  const table = columns<Finding>(
    findings,
    [
      { title: '', cell: ({ state }) => MARKS[state][0], paint: colour },
      { title: 'WHAT', cell: ({ name }) => name, paint: paint.bold },
      { title: 'VERSION', cell: ({ version }) => plainLine(version ?? ''), least: 8, expendable: 1 },
      { title: 'DETAIL', cell: (finding) => detailOf(finding, look), least: 20 },
    ],
    { width, heading: paint.dim },
  );
  const repairs = [...findings, ...withAccounts(executors)].flatMap(({ name, repair }) =>
    repair === undefined ? [] : [[name, plainLine(repair)] as const],
  );
  const section =
    repairs.length === 0 ? '' : `\n${paint.bold('Repair')}\n${pairs(repairs, { width, indent: '  ', paint: paint.cyan })}`;
  const agents = executors.length === 0 ? '' : `\n${executorTable(executors, look)}`;
  return `${table}${agents}${section}\n${verdict(findings, paint)}\n`;
}

const detailOf = ({ path, detail, state }: Finding, look: ViewStyle): string =>
  [path === undefined ? undefined : homely(path, look), detail === undefined ? undefined : plainLine(detail)]
    .filter((part) => part !== undefined)
    .join(': ') || (state === 'off' ? 'not found' : '');

export const isWell = (findings: readonly Finding[]): boolean =>
  !findings.some(({ needed, state }) => needed && state === 'broken');

const verdict = (findings: readonly Finding[], paint: Paint): string =>
  isWell(findings) ? paint.green('Fleet has what it needs.') : paint.red('Fleet cannot work like this: repair what has a ✗.');
