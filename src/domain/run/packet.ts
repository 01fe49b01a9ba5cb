import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { PHASE_STATES, type Task } from '../task/task.ts';
import { type Instant, TaskId } from '../values.ts';
import { Report } from '../work/report.ts';
import { CommitId, Totals, type Work } from '../work/work.ts';

/* What one agent is told of the work of others: the same for its prompt and for `run.context`, and bounded whatever they wrote. */

export const ToldReport = Report.pick({
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
export type ToldReport = z.infer<typeof ToldReport>;

export const ToldTask = z.strictObject({
  taskId: TaskId,
  title: z.string(),
  state: z.enum(PHASE_STATES),
  branch: z.string().optional(),
  /** Its work in a repository. */
  work: z
    .strictObject({
      target: z.string(),
      base: CommitId,
      /** All of it as a commit, finished or as it was kept when its last run ended. */
      tip: CommitId.optional(),
      /** A ref that leads to the tip, by its name where the reader works; absent once it has landed, and where there is none. */
      ref: z.string().optional(),
      changes: Totals.optional(),
      landed: CommitId.optional(),
      /** It is in the repository of another project. */
      elsewhere: z.literal(true).optional(),
    })
    .optional(),
  /** Where it worked in place. */
  directory: z.string().optional(),
  report: ToldReport.optional(),
  /** Some of its report is left out here. */
  isCut: z.literal(true).optional(),
});
export type ToldTask = z.infer<typeof ToldTask>;

export interface Packet {
  /** What the task depends on, in the order it was said. */
  readonly dependencies: readonly ToldTask[];
  /** Finished reviews of its own work, oldest first. */
  readonly reviews: readonly ToldTask[];
  /** Tasks of both kinds of which nothing is told here. */
  readonly leftOut: readonly TaskId[];
}

/** For an agent that remembers: the reviews that came after its last run began. It was told the rest then. */
export const newsIn = ({ reviews, ...packet }: Packet, since: Instant | undefined): Packet =>
  since === undefined
    ? { ...packet, reviews }
    : { dependencies: [], reviews: reviews.filter(({ report }) => report !== undefined && report.at > since), leftOut: [] };

/** Where somebody works who is told of others. */
export interface Reader {
  readonly projectId: Task['projectId'];
  /** Of the project's refs a clone has only the branches, as those of its origin. The commits are all there. */
  readonly isInClone: boolean;
}

/** All there is to tell of a task. */
export function toldTask(task: Task, report: Report | undefined, reader: Reader): ToldTask {
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
    ...(report ? { report: toldReport(report) } : {}),
  };
}

const REMOTES = 'refs/remotes/';

const refOf = ({ tip, branch, kept }: Work, isInClone: boolean): string | undefined => {
  if (tip) return isInClone ? `${REMOTES}origin/${branch}` : `refs/heads/${branch}`;
  return isInClone ? undefined : kept?.ref;
};

/** What git takes for the name of a branch where its ref is this one. */
export const branchName = (branch: string | undefined, ref: string | undefined): string | undefined =>
  ref?.startsWith(REMOTES) ? ref.slice(REMOTES.length) : branch;

export const toldReport = (report: Report): ToldReport => ({
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

/** Reviews come first: they are about the work itself. Each task has the same share; whatever does not fit is named. */
export function packetOf(told: Packet): Packet {
  const all = [...told.reviews, ...told.dependencies];
  const fitting = all.slice(0, LIMITS.packetTasks.value);
  const share = Math.min(LIMITS.packetTaskBytes.value, Math.floor(LIMITS.packetBytes.value / Math.max(1, fitting.length)));
  const shown = new Map(fitting.map((one) => [one, shortened(one, share)]));
  const among = (tasks: readonly ToldTask[]) => tasks.flatMap((one) => shown.get(one) ?? []);
  return {
    dependencies: among(told.dependencies),
    reviews: among(told.reviews),
    leftOut: [...told.leftOut, ...all.slice(LIMITS.packetTasks.value).map(({ taskId }) => taskId)],
  };
}

/** One task within so many bytes of JSON, its report as far as there is room for it. */
export function shortened({ report, ...task }: ToldTask, most: number): ToldTask {
  const title = cutTo(task.title, TITLE_BYTES);
  if (!report) return { ...task, title };
  const room = new Room(most - bytesOf(JSON.stringify({ ...task, title })) - FRAME_BYTES);
  const kept = reportIn(report, room);
  return { ...task, title, report: kept, ...(room.isCut ? { isCut: true as const } : {}) };
}

/** A report on its own, no longer than one in a packet. */
export const reportWithin = (report: Report): ToldReport =>
  reportIn(toldReport(report), new Room(LIMITS.packetTaskBytes.value - FRAME_BYTES));

/** The summary must not leave out what is open, and the first file names are worth more than the last doubts. */
function reportIn(report: ToldReport, room: Room): ToldReport {
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
/** The names of its fields, its status and its moment; in words the commands that show its work. */
const FRAME_BYTES = 500;
/** What surrounds an item: quotes, a comma, and in words a line with its label. */
const ITEM_BYTES = 24;

/** Bytes that are used up by one text after the other. */
class Room {
  isCut = false;
  #left: number;

  constructor(bytes: number) {
    this.#left = Math.max(0, bytes);
  }

  /** The beginning of a text, in at most the given part of what is left. */
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

/** As JSON, or with a mark before each line: whichever is longer. */
const costOf = (text: string): number => Math.max(bytesOf(JSON.stringify(text)), bytesOf(text) + 5 * text.split(LINE_END).length);

/** Everything some program takes for the end of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they end lines
export const LINE_END = /\r\n|[\n\r\u000b\u000c\u0085\u2028\u2029]/;

/** A text with more characters than there are bytes is not even looked at. */
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

/** Without the half of a character at its end. */
const wellFormed = (text: string): string => (/[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text);
