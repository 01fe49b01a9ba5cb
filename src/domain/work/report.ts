import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import type { ClaimedResult } from '../run/conclusion.ts';
import { Instant, RunId, TaskId } from '../values.ts';
import { Totals } from './work.ts';

export const REPORT_STATUSES = ['succeeded', 'blocked', 'failed', 'unknown'] as const;
/** How a report reached Fleet, the most trusted channel first; `salvage` is a report made from git alone. */
export const REPORT_CHANNELS = ['mcp', 'file', 'answer', 'salvage'] as const;

const Strings = z.array(z.string());
const TestResult = z.strictObject({ command: z.string(), status: z.string(), details: z.string().optional() });

/** What an agent claims to have done, with facts from git in place of claims where git knows. */
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
  /** Claims of the agent that are not true. */
  doubts: Strings,
  /** Files the agent claims to have changed, until its run has ended and git is asked. */
  claimedFiles: Strings.optional(),
});
export type Report = z.infer<typeof Report>;

export interface GitFacts {
  readonly commits: readonly { readonly id: string; readonly subject: string }[];
  readonly files: readonly {
    readonly path: string;
    /** The path before a rename. */
    readonly from?: string | undefined;
    readonly status: string;
    readonly added: number | undefined;
    readonly removed: number | undefined;
  }[];
  readonly totals: Totals;
}

export interface ReportSources {
  readonly runId: RunId;
  readonly taskId: TaskId;
  readonly at: Instant;
  /** The report handed in over MCP during the run; the newest counts. */
  readonly submitted?: unknown;
  /** The content of the result file: a value, or why it cannot be used. */
  readonly file?: { readonly value: unknown } | { readonly problem: string } | undefined;
  /** The final structured answer of the agent. */
  readonly answer?: unknown;
  readonly summary?: string | undefined;
  /** The outcome of the run, once it has ended. */
  readonly outcome?: string | undefined;
  readonly git?: GitFacts | undefined;
}

const ITEMS = 100;
const ITEM_CHARACTERS = 1_000;
const SUMMARY_CHARACTERS = 8_000;
const FILES = 300;

/** Makes one report from all sources. No input makes this throw. */
export function reportOf(told: ReportSources): Report {
  const given = fieldsOf(told);
  const status = claimedResult(told)?.status ?? statusAfter(told.outcome);
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
    doubts: [
      ...doubtsOn(claimedFiles, told.git),
      ...(told.file && 'problem' in told.file ? [told.file.problem] : []),
      ...channelsOf(told).flatMap(({ value }) => unknownStatus(value['status'])),
    ],
    ...(given.channel === 'mcp' && !told.git ? { claimedFiles } : {}),
  };
}

/** The value with every text in it, names of fields included, put through the function. */
export function mapTexts<Value>(value: Value, change: (text: string) => string): Value;
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [change(name), mapTexts(item, change)]));
}

type Fields = Readonly<Record<string, unknown>>;

/** A report handed in over MCP as a claim again, to be checked against git once its run has ended. */
export const claimsOf = ({ claimedFiles = [], ...report }: Report): unknown => ({ ...report, files: claimedFiles });

interface Channel {
  readonly channel: Report['channel'];
  readonly value: Fields;
}

/** The agent's reports, the most trusted channel first. */
function channelsOf({ submitted, file, answer, summary }: ReportSources): readonly Channel[] {
  const channels = [
    { channel: 'mcp', value: submitted },
    { channel: 'file', value: file && 'value' in file ? file.value : undefined },
    { channel: 'answer', value: answer ?? answerIn(summary ?? '') },
  ] as const;
  return channels.flatMap(({ channel, value }) => (isObject(value) ? [{ channel, value }] : []));
}

const fieldsOf = (told: ReportSources): Channel => channelsOf(told)[0] ?? { channel: 'salvage', value: {} };

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The result the agent claims itself, from the first channel that has a known status. */
export function claimedResult(told: ReportSources): ClaimedResult | undefined {
  for (const { value } of channelsOf(told)) {
    const status = statusOf(value['status']);
    if (status) return { status, summary: short(value['summary'], SUMMARY_CHARACTERS) || (told.summary ?? '') };
  }
  return undefined;
}

const FENCE = /```(?:json)?[ \t]*\n/;
const CLOSED = '\n```';

/** The text between the first fence and the last. A search for both ends, not one pattern, keeps the time linear. */
function fencedIn(text: string): string | undefined {
  const open = text.endsWith(CLOSED) ? FENCE.exec(text) : null;
  const [from, to] = [(open?.index ?? 0) + (open?.[0].length ?? 0), text.length - CLOSED.length];
  return open && from <= to ? text.slice(from, to) : undefined;
}

/** The report in a last message that is JSON or ends with a fenced block of JSON. Prose is never taken for a report. */
function answerIn(text: string): unknown {
  const last = text.trim();
  const json = last.startsWith('{') ? last : fencedIn(last);
  if (json === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) && statusOf(value['status']) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Unfinished work counts as blocked. "No changes" is a claim of success, which is proved like any other.
 */
const STATUS_WORDS: Readonly<Record<string, ClaimedResult['status']>> = {
  ...statusEntries('succeeded', 'success succeeded successful completed complete done ok passed finished no_changes unchanged'),
  ...statusEntries('blocked', 'blocked stuck waiting needs_input partial partially_done incomplete unfinished in_progress'),
  ...statusEntries('failed', 'failed failure fail error errored aborted canceled cancelled'),
};

function statusEntries(status: ClaimedResult['status'], words: string): Readonly<Record<string, ClaimedResult['status']>> {
  return Object.fromEntries(words.split(' ').map((word) => [word, status]));
}

const statusOf = (said: unknown): ClaimedResult['status'] | undefined => {
  const word =
    typeof said === 'string'
      ? said
          .trim()
          .toLowerCase()
          .replace(/[\s-]+/g, '_')
      : '';
  return Object.hasOwn(STATUS_WORDS, word) ? STATUS_WORDS[word] : undefined;
};

function unknownStatus(said: unknown): string[] {
  if (said === undefined || said === 'unknown' || statusOf(said)) return [];
  const shown = (JSON.stringify(said) ?? '').slice(0, ITEM_CHARACTERS / 10);
  return [`it says its status is ${shown}, which is none of succeeded, blocked and failed`];
}

function statusAfter(outcome: string | undefined): Report['status'] {
  if (outcome === undefined) return 'unknown';
  if (outcome === 'succeeded' || outcome === 'no_changes') return 'succeeded';
  return outcome === 'blocked' ? 'blocked' : 'failed';
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

/** Checks claimed files against git, if git's list is complete. */
function doubtsOn(claimed: readonly string[], git: GitFacts | undefined): string[] {
  if (!git || git.files.length < git.totals.files) return [];
  const real = new Set(git.files.map(({ path }) => path));
  return claimed
    .filter((path) => !real.has(path.replace(/^\.\//, '')))
    .map((path) => `it says it changed ${path}; git sees no change there`);
}
