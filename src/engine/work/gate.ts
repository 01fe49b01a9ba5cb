import { type Hold, hasRoom, withHolder } from '../../domain/hold/hold.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Project } from '../../domain/project/project.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import { msOf } from '../../domain/values.ts';
import type { Evidence } from '../../domain/work/evidence.ts';
import { failingTests } from '../../domain/work/failing-tests.ts';
import { fitsTask, workspaceKindFor } from '../../domain/work/trust.ts';
import type { Gate } from '../../domain/work/work.ts';
import { allHits } from '../../store/queries/every-hit.ts';
import { evidence } from '../../store/records/findings.ts';
import { holds } from '../../store/records/holds.ts';
import { changeWrites } from '../../store/records/journal.ts';
import type { Versioned } from '../../store/records/record.ts';
import { runIndex, runs } from '../../store/records/runs.ts';
import { tasks } from '../../store/records/tasks.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import { allocate } from './allocate.ts';
import { commandRun } from './command-run.ts';
import type { WorkDeps } from './deps.ts';
import { lacksDiskRoom } from './lacks-room.ts';

/** What the gate is to look at; without a commit, the place where the work was done. */
export interface GateSubject {
  readonly commit?: string;
  readonly tree?: string;
  readonly onto?: string;
  /** How often a run of the gate on it was lost. */
  readonly lost?: number;
}

/** A gate that takes its runner down every time would be run for ever. */
const MOST_LOST = 3;

const lossOf = (run: Run | undefined): string =>
  run?.phase.state === 'ended' ? (run.phase.detail ?? run.phase.outcome) : 'its run is gone';

export type GateVerdict =
  /** `acted`: a step was taken just now. */
  | { readonly state: 'open'; readonly acted: boolean }
  | { readonly state: 'green' | 'red' }
  | { readonly state: 'impossible'; readonly why: string };

const waits = (acted: boolean): GateVerdict => ({ state: 'open', acted });

/** Takes the gate one step further on this subject: a clean checkout, the command in it, and what it said as evidence. */
export async function runGate(
  seen: Versioned<Task>,
  subject: GateSubject,
  project: Project,
  needs: WorkDeps,
): Promise<GateVerdict> {
  const { gate } = seen.body;
  if (gate === undefined || gate.commit !== subject.commit) return open(seen, subject, project, needs);
  if (gate.green !== undefined) return { state: gate.green ? 'green' : 'red' };
  if (gate.runId === undefined) return begin(seen, gate, project, needs);
  const run = (await runs.get(needs.store, gate.runId))?.body;
  if (run && run.phase.state !== 'ended') return waits(false);
  // Nobody saw how it ended, which says nothing about the work: once more.
  if (!run || (run.phase.state === 'ended' && (run.phase.outcome === 'lost' || run.phase.outcome === 'canceled'))) {
    const lost = (gate.lost ?? 0) + 1;
    if (lost >= MOST_LOST) return { state: 'impossible', why: `the gate was lost ${lost} times: ${lossOf(run)}` };
    return open(seen, { ...subject, lost }, project, needs);
  }
  return judge(seen, run, subject, needs);
}

const author = ({ hostName, now }: WorkDeps) => ({ by: `host ${hostName}`, at: now() });

async function open(seen: Versioned<Task>, subject: GateSubject, project: Project, needs: WorkDeps): Promise<GateVerdict> {
  if ((await isBusy(needs)) || (await lacksDiskRoom(seen.body.id, needs))) return waits(false);
  const lost = subject.lost ? { lost: subject.lost } : {};
  if (subject.commit === undefined) return beginInPlace(seen, lost, project, needs);
  const use = { kind: 'gate', taskId: seen.body.id, commit: subject.commit } as const;
  // What it runs is the agent's: it is trusted as far as the agent is, and no further.
  const { workspace, writes } = await allocate(project, { ...workspaceKindFor(seen.body), use }, needs);
  const gate: Gate = {
    commit: subject.commit,
    ...(subject.tree ? { tree: subject.tree } : {}),
    workspaceId: workspace.id,
    ...lost,
  };
  const note = { what: 'gate', data: { commit: subject.commit, workspace: workspace.id } };
  await needs.store.commit([...writes, ...changeWrites(tasks, seen, { ...seen.body, gate }, { author: author(needs), note })]);
  return waits(true);
}

/** Gates are heavy: only so many at once on one host. */
async function isBusy({ store, host, workRules }: WorkDeps): Promise<boolean> {
  const live = await allHits(store, runIndex.live(host));
  return live.filter((hit) => runs.read(hit).kind === 'gate').length >= workRules().gates;
}

async function begin(seen: Versioned<Task>, gate: Gate, project: Project, needs: WorkDeps): Promise<GateVerdict> {
  const workspace = gate.workspaceId && (await workspaces.get(needs.store, gate.workspaceId))?.body;
  const { use } = workspace || {};
  const isOurs = use?.kind === 'gate' && use.taskId === seen.body.id && use.commit === gate.commit;
  if (!workspace || !isOurs || !fitsTask(workspace, seen.body)) {
    const { gate: _lost, ...task } = seen.body;
    await needs.store.commit([tasks.put(task, seen.version)]);
    return waits(true);
  }
  if (workspace.state === 'failed')
    return { state: 'impossible', why: workspace.why ?? 'no clean checkout could be made for the gate' };
  if (workspace.state !== 'ready') return waits(false);
  if ((await isBusy(needs)) || (await lacksDiskRoom(seen.body.id, needs))) return waits(false);
  return started(seen, gate, { project, directory: workspace.path }, needs);
}

interface Start {
  readonly project: Project;
  readonly directory: string;
  /** The limited scope it occupies. */
  readonly hold?: { readonly scope: string; readonly before: Versioned<Hold> | undefined };
}

async function started(seen: Versioned<Task>, gate: Gate, start: Start, needs: WorkDeps): Promise<GateVerdict> {
  const chore = commandRun(
    {
      kind: 'gate',
      taskId: seen.body.id,
      command: start.project.verify ?? 'true',
      directory: start.directory,
      workspaceId: gate.workspaceId,
      timeoutSeconds: needs.workRules().gateSeconds,
      holds: start.hold ? [start.hold.scope] : [],
    },
    needs,
  );
  const next: Task = { ...seen.body, gate: { ...gate, runId: chore.runId } };
  const note = { what: 'gate started', data: { run: chore.runId, ...(gate.commit ? { commit: gate.commit } : {}) } };
  const occupying = start.hold
    ? [holds.put(withHolder(start.hold.before?.body, start.hold.scope, chore.runId), start.hold.before?.version ?? 'absent')]
    : [];
  await needs.store.commit([...chore.writes, ...occupying, ...changeWrites(tasks, seen, next, { author: author(needs), note })]);
  return waits(true);
}

/** In place there is one tree for everybody: while the gate looks at it, no agent may work in it. */
async function beginInPlace(seen: Versioned<Task>, gate: Gate, project: Project, needs: WorkDeps): Promise<GateVerdict> {
  const scope = `place:${project.id}`;
  const before = await holds.get(needs.store, scope);
  if (!hasRoom(before?.body, { scope, max: 1 })) return waits(false);
  return started(seen, gate, { project, directory: project.path, hold: { scope, before } }, needs);
}

const RED: ReadonlySet<string> = new Set(['refused', 'crashed', 'stalled', 'timed_out', 'output_limit']);

async function judge(seen: Versioned<Task>, run: Run, subject: GateSubject, needs: WorkDeps): Promise<GateVerdict> {
  if (run.phase.state !== 'ended') return waits(false);
  const { outcome, detail = '', exit } = run.phase;
  const green = outcome === 'succeeded';
  if (!green && !RED.has(outcome)) return { state: 'impossible', why: `the gate ended as ${outcome}: ${detail}` };
  const failures = green ? [] : failingTests(await needs.lastOutput(run.id, LIMITS.gateSearchBytes.value));
  const found: Evidence = {
    runId: run.id,
    taskId: seen.body.id,
    command: run.chore?.command ?? '',
    ...(subject.commit ? { commit: subject.commit } : {}),
    ...(subject.tree ? { tree: subject.tree } : {}),
    ...(subject.onto ? { onto: subject.onto } : {}),
    green,
    ...(exit === undefined ? {} : { exit }),
    why: detail,
    output: await needs.lastOutput(run.id),
    ...(failures.length > 0 ? { failures: [...failures] } : {}),
    tookMs: Math.max(0, msOf(run.phase.at) - msOf(run.createdAt)),
    at: run.phase.at,
  };
  const next: Task = { ...seen.body, gate: { ...seen.body.gate, green } };
  const note = { what: 'evidence', to: green ? 'green' : 'red', data: { run: run.id, ...(exit === undefined ? {} : { exit }) } };
  const known = await evidence.get(needs.store, run.id);
  await needs.store.commit(
    [evidence.put(found, known?.version ?? 'absent'), ...changeWrites(tasks, seen, next, { author: author(needs), note })],
    { flush: true },
  );
  return waits(true);
}
