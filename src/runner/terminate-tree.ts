import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemClock } from '../platform/clock.ts';
import { bootIdSync, statSync } from '../platform/proc.ts';
import { killMembers, removeCgroup } from './cgroup.ts';
import { findMembers, type Members, signalShimSync, signalSync, stopGroupSync } from './members.ts';
import { arbitrate, type RunnerHost } from './run-directory.ts';
import { type ExitFacts, readClaim, readExit, readIdentity, type ShimIdentity } from './run-facts.ts';
import { filesOf, type RecordedProcess, type RunFiles } from './run-place.ts';

export interface EndOptions extends RunnerHost {
  /** How long whatever is left may take to end by itself before anything is said to it. */
  readonly patienceMs?: number;
  /** How long it may take to end by itself after TERM; 0: it is not asked. */
  readonly graceMs: number;
  /** How long killing may take after that. */
  readonly hardMs: number;
  readonly clock?: Clock;
}

export interface KillResult {
  /** `quiet`: nothing was left to end. `asked`: all ended after TERM. `killed`: some had to be. `stuck`: some are left. */
  readonly how: 'quiet' | 'asked' | 'killed' | 'stuck';
  /** Processes that were told to end, the shim not counted. */
  readonly processes: number;
  readonly exit?: ExitFacts;
}

const POLL_MS = { first: 5, most: 100 };
const FREEZE_ROUNDS = 10;

/**
 * Ends every process of a run, and sees to it that none is started later. Safe to call again, on a run in any state,
 * and for several runs at once.
 *
 * TERM goes to the group and to whoever left it; then all are stopped, and KILL goes to all but the shim, in rounds, until
 * a look finds nobody.
 * The shim writes `exit` meanwhile. Who gets a signal is checked in the same turn of the loop in which it is sent.
 */
export async function endRun(run: RunFiles, options: EndOptions): Promise<KillResult> {
  if (await isFromEarlierBoot(run, options)) return ending('quiet', 0, await readExit(run));
  await closeTheDoor(run);
  const ladder = new Ladder(run, options);
  return (await ladder.look()) ?? (await ladder.await()) ?? (await ladder.ask()) ?? ladder.kill();
}

class Ladder {
  readonly #run: RunFiles;
  readonly #options: EndOptions;
  readonly #clock: Clock;
  readonly #told = new Map<string, RecordedProcess>();
  #identity: ShimIdentity | undefined;
  #members: Members = { shim: undefined, others: [], cgroup: undefined };

  constructor(run: RunFiles, options: EndOptions) {
    this.#run = run;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async look(): Promise<KillResult | undefined> {
    return this.#isOver('quiet');
  }

  async await(): Promise<KillResult | undefined> {
    const { patienceMs = 0 } = this.#options;
    return patienceMs === 0 ? undefined : this.#wait(patienceMs, () => this.#isOver('quiet'));
  }

  async ask(): Promise<KillResult | undefined> {
    if (this.#options.graceMs === 0) return undefined;
    const { shim, others } = this.#members;
    const grouped = shim && signalShimSync(this.#run, shim, 'group', 'SIGTERM') ? shim.pid : undefined;
    for (const seen of others) {
      this.#tell(seen);
      // The pump brings a dying agent its input until the end.
      if (seen.group !== grouped && seen.pid !== this.#identity?.pump?.pid) signalSync(seen, 'SIGTERM');
    }
    return this.#wait(this.#options.graceMs, () => this.#isOver('asked'));
  }

  async kill(): Promise<KillResult> {
    await this.#freeze();
    const over = await this.#wait(this.#options.hardMs, async () => {
      await this.#killRound();
      return this.#isOver('killed');
    });
    if (over) return over;
    // All that is left to hope for: a shim that cannot write, stopped or stuck in the kernel.
    if (this.#members.shim) signalShimSync(this.#run, this.#members.shim, 'shim', 'SIGKILL');
    const last = await this.#wait(POLL_MS.most, async () => {
      await this.#killRound();
      return this.#isOver('killed');
    });
    return last ?? ending('stuck', this.#told.size, await readExit(this.#run));
  }

  /**
   * Whoever is stopped forks no more and mourns nobody: without this, those that are killed last raise those that were
   * killed first. Whoever is born while we look is found by the next look.
   */
  async #freeze(): Promise<void> {
    const stopped = new Set<string>();
    for (let round = 0; round < FREEZE_ROUNDS; round += 1) {
      const fresh = this.#members.others.filter(({ pid, started }) => !stopped.has(`${pid} ${started}`));
      if (fresh.length === 0) return;
      if (this.#members.shim) signalShimSync(this.#run, this.#members.shim, 'group', 'SIGSTOP');
      for (const seen of fresh) {
        if (!stopGroupSync(seen)) signalSync(seen, 'SIGSTOP');
        stopped.add(`${seen.pid} ${seen.started}`);
      }
      this.#members = await findMembers(this.#run, this.#identity);
    }
  }

  async #killRound(): Promise<void> {
    const { shim, others, cgroup } = this.#members;
    if (cgroup !== undefined) await killMembers(cgroup);
    for (const seen of others) {
      this.#tell(seen);
      signalSync(seen, 'SIGKILL');
    }
    // An agent may have stopped its shim, which then cannot say how it ended.
    if (shim) signalShimSync(this.#run, shim, 'shim', 'SIGCONT');
  }

  /** Nobody is left but perhaps a shim that has written `exit` and is about to end. */
  async #isOver(how: KillResult['how']): Promise<KillResult | undefined> {
    this.#identity ??= await readIdentity(this.#run);
    // Before the look, so that `exit` without members means that there are none.
    const exit = await readExit(this.#run);
    this.#members = await findMembers(this.#run, this.#identity);
    const { shim, others, cgroup } = this.#members;
    if (others.length > 0 || (shim && !exit) || this.#isDying()) return undefined;
    if (cgroup !== undefined && !(await removeCgroup(cgroup))) return undefined;
    if (this.#identity?.pump) await rm(filesOf(this.#run).pipe, { force: true });
    return ending(how, this.#told.size, exit ?? (await readExit(this.#run)));
  }

  async #wait(limitMs: number, attempt: () => Promise<KillResult | undefined>): Promise<KillResult | undefined> {
    const until = this.#clock.elapsed() + limitMs;
    for (let pause = POLL_MS.first; ; pause = Math.min(pause * 2, POLL_MS.most)) {
      const over = await attempt();
      if (over) return over;
      if (this.#clock.elapsed() >= until) return undefined;
      await sleep(pause);
    }
  }

  #tell({ pid, started }: RecordedProcess): void {
    this.#told.set(`${pid} ${started}`, { pid, started });
  }

  /** A process without a mark is found by its kin alone. When they have gone, it may still be about to end. */
  #isDying(): boolean {
    return [...this.#told.values()].some(({ pid, started }) => statSync(pid)?.started === started);
  }
}

const ending = (how: KillResult['how'], processes: number, exit: ExitFacts | undefined): KillResult => ({
  how,
  processes,
  ...(exit ? { exit } : {}),
});

/** Pids of an earlier boot mean nothing now: no process is looked for and none is signalled. */
async function isFromEarlierBoot(run: RunFiles, { bootIdPath }: RunnerHost): Promise<boolean> {
  const claim = await readClaim(run);
  const boot = (await readIdentity(run))?.boot ?? (claim?.by === 'shim' ? claim.boot : undefined);
  return boot !== undefined && boot !== bootIdSync(bootIdPath);
}

/** A shim that was asked for and has not come yet must find the claim taken. */
async function closeTheDoor(run: RunFiles): Promise<void> {
  if (!(await readExit(run)) && !(await readClaim(run))) await arbitrate(run);
}
