import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { Instant, RunId, TaskId } from '../values.ts';
import { Totals } from './work.ts';

export const REPORT_STATUSES = ['succeeded', 'blocked', 'failed', 'unknown'] as const;
/** How a report reached us; later ones are asked only where earlier ones are silent. */
export const REPORT_CHANNELS = ['mcp', 'file', 'answer', 'salvage'] as const;

const Strings = z.array(z.string());
const TestResult = z.strictObject({ command: z.string(), status: z.string(), details: z.string().optional() });

/** What an agent says it has done, with what git says put in place of its word where git knows. */
export const Report = z.strictObject({
  runId: RunId,
  taskId: TaskId,
  at: Instant,
  channel: z.enum(REPORT_CHANNELS),
  status: z.enum(REPORT_STATUSES),
  summary: z.string(),
  done: Strings,
  open: Strings,
  tested: Strings,
  untested: Strings,
  tests: z.array(TestResult),
  nextSteps: Strings,
  errors: Strings,
  previewUrl: z.string().optional(),
  /** From git, newest commit first. */
  files: z.array(
    z.strictObject({ path: z.string(), status: z.string(), added: z.int().optional(), removed: z.int().optional() }),
  ),
  commits: z.array(z.strictObject({ id: z.string(), subject: z.string() })),
  totals: Totals.optional(),
  /** What it claimed that is not so. */
  doubts: Strings,
  /** Files it said it changed, until its run has ended and git has been asked. */
  claimedFiles: Strings.optional(),
});
export type Report = z.infer<typeof Report>;

export interface GitFacts {
  readonly commits: readonly { readonly id: string; readonly subject: string }[];
  readonly files: readonly {
    readonly path: string;
    /** What it was called before. */
    readonly from?: string | undefined;
    readonly status: string;
    readonly added: number | undefined;
    readonly removed: number | undefined;
  }[];
  readonly totals: Totals;
}

export interface Told {
  readonly runId: RunId;
  readonly taskId: TaskId;
  readonly at: Instant;
  /** What it handed in itself while it ran; the newest counts. */
  readonly submitted?: unknown;
  /** What stood in its result file: an object, or why it cannot be used. */
  readonly file?: { readonly value: unknown } | { readonly problem: string } | undefined;
  /** Its final structured answer. */
  readonly answer?: unknown;
  readonly summary?: string | undefined;
  readonly verdict?: string | undefined;
  readonly git?: GitFacts | undefined;
}

const ITEMS = 100;
const ITEM_CHARACTERS = 1_000;
const SUMMARY_CHARACTERS = 8_000;
const FILES = 300;

/** Makes one report of everything that was told, however odd; nothing in it makes this throw. */
export function reportOf(told: Told): Report {
  const given = fieldsOf(told);
  const status = statusOf(given.value['status'], told);
  const claimedFiles = texts(given.value['files'] ?? given.value['files_changed']);
  return {
    runId: told.runId,
    taskId: told.taskId,
    at: told.at,
    channel: given.channel,
    status,
    summary: short(given.value['summary'], SUMMARY_CHARACTERS) || (told.summary ?? '').slice(0, SUMMARY_CHARACTERS),
    done: texts(given.value['done']),
    open: texts(given.value['open']),
    tested: texts(given.value['tested']),
    untested: texts(given.value['untested']),
    tests: testsIn(given.value['tests']),
    nextSteps: texts(given.value['next_steps'] ?? given.value['nextSteps']),
    errors: texts(given.value['errors']),
    ...preview(given.value['preview_url'] ?? given.value['previewUrl']),
    ...gitOf(told.git),
    doubts: [...doubtsOn(claimedFiles, told.git), ...(told.file && 'problem' in told.file ? [told.file.problem] : [])],
    ...(given.channel === 'mcp' && !told.git ? { claimedFiles } : {}),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** A report that was handed in, as what it claims: git is asked about it once its run has ended. */
export const claimsOf = ({ claimedFiles = [], ...report }: Report): unknown => ({ ...report, files: claimedFiles });

function fieldsOf({ submitted, file, answer }: Told): { channel: Report['channel']; value: Fields } {
  if (isObject(submitted)) return { channel: 'mcp', value: submitted };
  if (file && 'value' in file && isObject(file.value)) return { channel: 'file', value: file.value };
  if (isObject(answer)) return { channel: 'answer', value: answer };
  return { channel: 'salvage', value: {} };
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

const STATUS_WORDS: Readonly<Record<string, Report['status']>> = {
  success: 'succeeded',
  succeeded: 'succeeded',
  completed: 'succeeded',
  complete: 'succeeded',
  done: 'succeeded',
  ok: 'succeeded',
  blocked: 'blocked',
  failed: 'failed',
  failure: 'failed',
  error: 'failed',
};

function statusOf(said: unknown, { verdict }: Told): Report['status'] {
  const word = typeof said === 'string' ? STATUS_WORDS[said.trim().toLowerCase()] : undefined;
  if (word) return word;
  if (verdict === 'succeeded') return 'succeeded';
  return verdict === 'blocked' ? 'blocked' : verdict === undefined ? 'unknown' : 'failed';
}

const short = (value: unknown, most: number): string => (typeof value === 'string' ? value.slice(0, most) : '');

function texts(value: unknown): string[] {
  const list = Array.isArray(value) ? value : typeof value === 'string' && value !== '' ? [value] : [];
  return list
    .slice(0, ITEMS)
    .map((item) => (typeof item === 'string' ? item : (JSON.stringify(item) ?? '')).slice(0, ITEM_CHARACTERS))
    .filter((item) => item !== '');
}

function testsIn(value: unknown): Report['tests'] {
  const list = Array.isArray(value) ? value.slice(0, ITEMS) : [];
  return list.filter(isObject).map((test) => ({
    command: short(test['command'], ITEM_CHARACTERS),
    status: short(test['status'], ITEM_CHARACTERS) || 'unknown',
    ...(typeof test['details'] === 'string' ? { details: test['details'].slice(0, ITEM_CHARACTERS) } : {}),
  }));
}

const preview = (value: unknown): Pick<Report, 'previewUrl'> =>
  typeof value === 'string' && /^https?:\/\//.test(value) ? { previewUrl: value.slice(0, LIMITS.pathBytes.value) } : {};

function gitOf(git: GitFacts | undefined): Pick<Report, 'files' | 'commits' | 'totals'> {
  if (!git) return { files: [], commits: [] };
  const count = (of: 'added' | 'removed', file: GitFacts['files'][number]) => (file[of] === undefined ? {} : { [of]: file[of] });
  return {
    files: git.files
      .slice(0, FILES)
      .map((file) => ({ path: file.path, status: file.status, ...count('added', file), ...count('removed', file) })),
    commits: git.commits.slice(0, ITEMS).map(({ id, subject }) => ({ id, subject: subject.slice(0, ITEM_CHARACTERS) })),
    totals: { ...git.totals },
  };
}

/** A claim about files is checked against git where all of git's list is known. */
function doubtsOn(claimed: readonly string[], git: GitFacts | undefined): string[] {
  if (!git || git.files.length < git.totals.files) return [];
  const real = new Set(git.files.map(({ path }) => path));
  return claimed
    .filter((path) => !real.has(path.replace(/^\.\//, '')))
    .map((path) => `it says it changed ${path}; git sees no change there`);
}
