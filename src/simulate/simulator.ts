import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../platform/clock.ts';
import { type Exchange, openLedger } from './ledger.ts';
import { receive } from './receive.ts';
import type { Scenario } from './scenario/scenario.ts';

/** Plays scenarios to coding agents on loopback, so that real ones work without a model and without a key. */
export interface Simulator extends AsyncDisposable {
  readonly url: string;
  /** Where an agent finds the model that plays it. Every run counts and remembers for itself. */
  run(scenario: string, run: string): Played;
  /** Puts a scenario up that has no name, with a run of its own. */
  play(scenario: Scenario): Played;
}

export interface Played {
  /** Without `/v1`. */
  readonly url: string;
  /** Requests that offered tools, oldest first. */
  readonly exchanges: readonly Exchange[];
  /** What the scenario wanted and the agent did not offer. */
  readonly problems: readonly string[];
  /** Lets go whoever is held at a gate, or else the next who would be. */
  release(): void;
}

export interface SimulatorNeeds {
  readonly clock: Clock;
  readonly scenarios: Readonly<Record<string, Scenario>>;
  /** Any free one, unless it is given. */
  readonly port?: number | undefined;
}

export async function openSimulator({ clock, scenarios, port = 0 }: SimulatorNeeds): Promise<Simulator> {
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
  const run = (scenario: string, name: string): Played => {
    const page = ledger.page(name);
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
