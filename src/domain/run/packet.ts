import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { PHASE_STATES, type Task } from '../task/task.ts';
import { type Instant, TaskId } from '../values.ts';
import { Report } from '../work/report.ts';
import { CommitId, Totals, type Work } from '../work/work.ts';

/* What an agent gets to know of the work of others, for its prompt and for `run.context` alike. Its size is bounded. */

export const PacketReport = Report.pick({
  status: true,
  summary: true,
  open: true,
  nextSteps: true,
  errors: true,
  doubts: true,
  untested: true,
  tests: true,
  files: true,
  at: true,
});
export type PacketReport = z.infer<typeof PacketReport>;

export const PacketTask = z.strictObject({
  taskId: TaskId,
  title: z.string(),
  state: z.enum(PHASE_STATES),
  branch: z.string().optional(),
  /** The work of the task in a repository. */
  work: z
    .strictObject({
      target: z.string(),
      base: CommitId,
      /** All the work as a commit: finished, or as kept at the end of the last run. */
      tip: CommitId.optional(),
      /** A ref of the tip, as it is named where the reader works; absent for landed work, and if there is none. */
      ref: z.string().optional(),
      changes: Totals.optional(),
      landed: CommitId.optional(),
      /** Set if the work is in the repository of another project. */
      elsewhere: z.literal(true).optional(),
    })
    .optional(),
  /** The directory of work in place. */
  directory: z.string().optional(),
  report: PacketReport.optional(),
  /** Set if part of the report is left out. */
  isCut: z.literal(true).optional(),
});
export type PacketTask = z.infer<typeof PacketTask>;

export interface Packet {
  /** The dependencies of the task, in declared order. */
  readonly dependencies: readonly PacketTask[];
  /** Finished reviews of the task's own work, oldest first. */
  readonly reviews: readonly PacketTask[];
  /** Dependencies and reviews that did not fit. */
  readonly leftOut: readonly TaskId[];
}

/** For an agent that remembers its last run: only the reviews since that run began, because it knows the rest. */
export const packetSince = ({ reviews, ...packet }: Packet, since: Instant | undefined): Packet =>
  since === undefined
    ? { ...packet, reviews }
    : { dependencies: [], reviews: reviews.filter(({ report }) => report !== undefined && report.at > since), leftOut: [] };

/** Where the agent that gets the packet works. */
export interface PacketReader {
  readonly projectId: Task['projectId'];
  /** A private clone has all commits, but of the project's refs only the branches, as branches of its origin. */
  readonly isInClone: boolean;
}

/** The full packet entry of a task, before it is shortened. */
export function packetTaskOf(task: Task, report: Report | undefined, reader: PacketReader): PacketTask {
  const { work, directory } = task;
  const tip = work?.tip ?? work?.kept?.commit;
  const ref = work && refOf(work, reader.isInClone && task.projectId === reader.projectId);
  return {
    taskId: task.id,
    title: task.title,
    state: task.phase.state,
    ...(work
      ? {
          branch: work.branch,
          work: {
            target: work.target,
            base: work.base,
            ...(tip ? { tip } : {}),
            ...(tip && ref && !work.landed ? { ref } : {}),
            ...(work.changes ? { changes: work.changes } : {}),
            ...(work.landed ? { landed: work.landed.commit } : {}),
            ...(task.projectId === reader.projectId ? {} : { elsewhere: true as const }),
          },
        }
      : {}),
    ...(!work && directory ? { directory } : {}),
    ...(report ? { report: packetReportOf(report) } : {}),
  };
}

const REMOTES = 'refs/remotes/';

const refOf = ({ tip, branch, kept }: Work, isInClone: boolean): string | undefined => {
  if (tip) return isInClone ? `${REMOTES}origin/${branch}` : `refs/heads/${branch}`;
  return isInClone ? undefined : kept?.ref;
};

/** The name git accepts for a branch with this ref. */
export const branchName = (branch: string | undefined, ref: string | undefined): string | undefined =>
  ref?.startsWith(REMOTES) ? ref.slice(REMOTES.length) : branch;

export const packetReportOf = (report: Report): PacketReport => ({
  status: report.status,
  summary: report.summary,
  open: report.open,
  nextSteps: report.nextSteps,
  errors: report.errors,
  doubts: report.doubts,
  untested: report.untested,
  tests: report.tests,
  files: report.files,
  at: report.at,
});

/** Reviews come first, because they are about the work itself. Each task gets the same share of bytes; the rest are named. */
export function packetOf(full: Packet): Packet {
  const all = [...full.reviews, ...full.dependencies];
  const fitting = all.slice(0, LIMITS.packetTasks.value);
  const share = Math.min(LIMITS.packetTaskBytes.value, Math.floor(LIMITS.packetBytes.value / Math.max(1, fitting.length)));
  const shown = new Map(fitting.map((one) => [one, shortenedTask(one, share)]));
  const among = (tasks: readonly PacketTask[]) => tasks.flatMap((one) => shown.get(one) ?? []);
  return {
    dependencies: among(full.dependencies),
    reviews: among(full.reviews),
    leftOut: [...full.leftOut, ...all.slice(LIMITS.packetTasks.value).map(({ taskId }) => taskId)],
  };
}

/** The entry cut to a number of bytes of JSON, with as much of the report as fits. */
export function shortenedTask({ report, ...task }: PacketTask, most: number): PacketTask {
  const title = cutTo(task.title, TITLE_BYTES);
  if (!report) return { ...task, title };
  const room = new ByteBudget(most - bytesOf(JSON.stringify({ ...task, title })) - FRAME_BYTES);
  const kept = reportIn(report, room);
  return { ...task, title, report: kept, ...(room.isCut ? { isCut: true as const } : {}) };
}

/** A single report, cut to the size it may have in a packet. */
export const shortenedReport = (report: Report): PacketReport =>
  reportIn(packetReportOf(report), new ByteBudget(LIMITS.packetTaskBytes.value - FRAME_BYTES));

/** Takes the fields in order of worth, so that a long summary leaves room for open ends, and files go before doubts. */
function reportIn(report: PacketReport, room: ByteBudget): PacketReport {
  const summary = room.text(report.summary, 2);
  const open = room.list(report.open);
  const nextSteps = room.list(report.nextSteps);
  const files = room.list(report.files, 2);
  return {
    status: report.status,
    summary,
    open,
    nextSteps,
    files,
    errors: room.list(report.errors),
    doubts: room.list(report.doubts),
    untested: room.list(report.untested),
    tests: room.list(report.tests),
    at: report.at,
  };
}

const TITLE_BYTES = 120;
/** Bytes for field names, status and time; in the text form, for the commands that show the work. */
const FRAME_BYTES = 500;
/** Bytes around one item: quotes and a comma; in the text form, a line with its label. */
const ITEM_BYTES = 24;

/** A budget of bytes that texts use up one after the other. */
class ByteBudget {
  isCut = false;
  #left: number;

  constructor(bytes: number) {
    this.#left = Math.max(0, bytes);
  }

  /** The beginning of a text that fits into `1/part` of the remaining bytes. */
  text(whole: string, part = 1): string {
    const most = Math.floor(this.#left / part);
    const fits = fitsIn(whole, most);
    // Line breaks and quotes cost more than one byte each.
    const text = fits ? whole : costCut(whole, most);
    this.#left -= costOf(text);
    if (!fits) this.isCut = true;
    return text;
  }

  list<Item>(items: readonly Item[], part = 1): Item[] {
    let most = Math.floor(this.#left / part);
    const kept: Item[] = [];
    for (const item of items) {
      const words = typeof item === 'string' ? item : JSON.stringify(item);
      const cost = words.length > most ? Number.POSITIVE_INFINITY : costOf(words) + ITEM_BYTES;
      if (cost > most) {
        this.isCut = true;
        break;
      }
      most -= cost;
      this.#left -= cost;
      kept.push(item);
    }
    return kept;
  }
}

const encoder = new TextEncoder();
export const bytesOf = (text: string): number => encoder.encode(text).length;

/** The bytes of a text as JSON or as quoted lines, whichever is longer. */
const costOf = (text: string): number => Math.max(bytesOf(JSON.stringify(text)), bytesOf(text) + 5 * text.split(LINE_END).length);

/** Every character that some program takes for the end of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they end lines
export const LINE_END = /\r\n|[\n\r\u000b\u000c\u0085\u2028\u2029]/;

/** Compares lengths first, so that a huge text is not encoded. */
const fitsIn = (text: string, most: number): boolean => text.length <= most && costOf(text) <= most;

function costCut(text: string, most: number): string {
  let [from, to] = [0, Math.min(text.length, most)];
  while (from < to) {
    const middle = Math.ceil((from + to) / 2);
    if (costOf(text.slice(0, middle)) <= most) from = middle;
    else to = middle - 1;
  }
  return wellFormed(text.slice(0, from));
}

const cutTo = (text: string, most: number): string => (fitsIn(text, most) ? text : `${costCut(text, most - 3)}…`);

/** The text without an unpaired surrogate at its end. */
const wellFormed = (text: string): string => (/[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text);
