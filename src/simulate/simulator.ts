import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../platform/clock.ts';
import { type Exchange, openLedger } from './ledger.ts';
import { receive } from './receive.ts';
import type { ModelScenario } from './scenario/scenario.ts';

/** A server on loopback that plays scenarios to coding agents, so that real ones run without a model or a key. */
export interface Simulator extends AsyncDisposable {
  readonly url: string;
  /** Starts a run of a named scenario. Every run has its own record and counts. */
  run(scenario: string, run: string): SimulatedRun;
  /** Starts a run of a scenario without a name. */
  play(scenario: ModelScenario): SimulatedRun;
}

export interface SimulatedRun {
  /** Address of the run, without `/v1`. */
  readonly url: string;
  /** Requests that offered tools, oldest first. */
  readonly exchanges: readonly Exchange[];
  /** Needs of the scenario that the agent did not provide, and invalid requests. */
  readonly problems: readonly string[];
  /** Releases all requests at a gate, or else the next one. */
  release(): void;
}

export interface SimulatorOptions {
  readonly clock: Clock;
  readonly scenarios: Readonly<Record<string, ModelScenario>>;
  /** The port; any free one by default. */
  readonly port?: number | undefined;
}

export async function openSimulator({ clock, scenarios, port = 0 }: SimulatorOptions): Promise<Simulator> {
  const known = new Map(Object.entries(scenarios));
  const ledger = openLedger();
  let count = 0;
  const unique = () => (++count).toString(36).padStart(6, '0');
  const server = createServer(
    (request, response) => void receive(request, response, { scenarios: known, ledger, clock, unique }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const run = (scenario: string, name: string): SimulatedRun => {
    const page = ledger.record(name);
    return {
      url: `${url}/s/${scenario}/${name}`,
      get exchanges() {
        return page.exchanges.filter(({ isBeside }) => !isBeside);
      },
      problems: page.problems,
      release: page.release,
    };
  };
  return {
    url,
    run,
    play: (scenario) => {
      const name = `unnamed-${unique()}`;
      known.set(name, scenario);
      return run(name, name);
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
