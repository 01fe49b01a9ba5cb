import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import { msOf } from '../../domain/values.ts';
import { questions } from '../../store/records/questions.ts';
import { runIndex, runs } from '../../store/records/runs.ts';
import { tasks } from '../../store/records/tasks.ts';
import type { Seen, Sight } from './decide.ts';
import type { Memory, Pulse } from './memory.ts';
import type { Look, SuperviseNeeds } from './needs.ts';

/** Processor time is asked for only of runs that have been silent this long. */
const QUIET_MS = 5_000;

export async function observe(needs: SuperviseNeeds, { pulses, seenAt }: Memory): Promise<Seen> {
  const { store, host, runner } = needs;
  const hits = await store.scan({ index: runIndex.live(host), limit: store.limits.rowsPerScan });
  const live = hits.map((hit) => ({ body: runs.read(hit), version: hit.version }));
  // Followed before they are looked at: what happens in between is a hint, not a loss.
  runner.follow(live.map(({ body }) => body.id));
  const looks = await Promise.all(live.map(({ body }) => runner.look(body.id)));
  const owners = await Promise.all(live.map(({ body }) => tasks.get(store, body.taskId)));
  const now = needs.elapsed();
  const quietMs = Math.min(QUIET_MS, needs.rules().stallMs / 4);
  const silent = live.filter(({ body }, at) => silence(body, looks[at], pulses, now) > quietMs).map(({ body }) => body.id);
  const ticks = silent.length > 0 ? await runner.ticks(silent) : new Map();
  const sights = live.map(async (run, at): Promise<Sight> => {
    const look = looks[at] as Look;
    const task = owners[at]?.body;
    beat(run.body, ticks.get(run.body.id), pulses, now);
    if (!seenAt.has(run.body.id)) seenAt.set(run.body.id, now - unwritten(run.body, look, needs));
    return {
      run,
      task,
      look,
      silentMs: now - (pulses.get(run.body.id)?.at ?? now),
      sinceMs: now - (seenAt.get(run.body.id) ?? now),
      toSend: await hasMail(run.body, task, needs),
    };
  });
  for (const id of pulses.keys()) if (!live.some(({ body }) => body.id === id)) pulses.delete(id);
  return { sights: await Promise.all(sights), now: needs.now(), rules: needs.rules() };
}

/** How long ago the run showed a sign of life; new output is one. */
function silence(run: Run, look: Look | undefined, pulses: Map<string, Pulse>, now: number): number {
  const bytes = look?.state === 'alive' ? look.outBytes + look.errBytes : 0;
  const pulse = pulses.get(run.id);
  if (!pulse || pulse.bytes !== bytes) pulses.set(run.id, { bytes, ticks: pulse?.ticks ?? -1, at: now });
  return now - (pulses.get(run.id)?.at ?? now);
}

/** Used processor time is a sign of life too: an agent that thinks prints nothing. */
function beat(run: Run, ticks: number | undefined, pulses: Map<string, Pulse>, now: number): void {
  const waits = (run.watch?.asks.length ?? 0) > 0;
  const before = pulses.get(run.id);
  // Who waits for a person is alive, and has all its time again once it is answered.
  if (waits && before) return void pulses.set(run.id, { ...before, at: now });
  const pulse = pulses.get(run.id);
  if (!pulse || ticks === undefined || ticks === pulse.ticks) return;
  pulses.set(run.id, { ...pulse, ticks, at: pulse.ticks === -1 ? pulse.at : now });
}

/** A run that went on while nobody watched has run for as long as its process is old; the wall clock may have jumped. */
function unwritten({ phase, updatedAt, watch }: Run, look: Look, needs: SuperviseNeeds): number {
  if (phase.state !== 'running') return 0;
  const ageMs = look.state === 'alive' ? look.ageMs : undefined;
  return Math.max(0, ageMs === undefined ? msOf(needs.now()) - msOf(updatedAt) : ageMs - (watch?.activeMs ?? 0));
}

async function hasMail({ watch }: Run, task: Task | undefined, { store }: SuperviseNeeds): Promise<boolean> {
  if (!watch) return false;
  if (watch.outbox.tail !== '' || task?.messages.some(({ state }) => state === 'waiting')) return true;
  const asked = await Promise.all(watch.asks.map(({ questionId }) => questions.get(store, questionId)));
  return asked.some((question) => question?.body.answer !== undefined);
}
