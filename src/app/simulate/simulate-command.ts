import { randomUUID } from 'node:crypto';
import { Fault } from '../../domain/fault.ts';
import { systemClock } from '../../platform/clock.ts';
import { manualCommands } from '../../simulate/agents.ts';
import { builtInScenarios } from '../../simulate/scenario/built-in.ts';
import { openSimulator, type Simulator } from '../../simulate/simulator.ts';
import { writeJson } from '../../surfaces/cli/answer.ts';
import type { CliProgram, Io } from '../../surfaces/cli/deps.ts';
import { EXIT_CODES } from '../../surfaces/cli/exit-codes.ts';
import { programWords } from '../../surfaces/cli/parse/program-words.ts';
import { findScenario, type NamedScenario } from './find-scenario.ts';
import { rehearse } from './rehearse.ts';
import { untilSignalled } from './signals.ts';

/** `fleet simulate`: a model on loopback that plays a scenario, alone or around a command. */
export const simulateCommand: CliProgram['run'] = async (args, given) => {
  const end = args.indexOf('--');
  const [own, command] = end === -1 ? [args, []] : [args.slice(0, end), args.slice(end + 1)];
  const { switches, values, places, json, io } = programWords('simulate', own, given, {
    switches: ['list'],
    values: ['port'],
    places: 1,
  });
  if (end !== -1 && command.length === 0) throw new Fault('invalid', 'after -- a command is expected, and nothing is there');
  if (switches.has('list')) return list(io, json);
  const [wanted] = places;
  if (wanted === undefined)
    throw new Fault('invalid', 'the name of a scenario is expected, or a file with one', { hint: 'see fleet simulate --list' });
  const named = await findScenario(wanted, io.cwd);
  await using simulator = await open(named, portIn(values.port));
  const run = randomUUID().slice(0, 8);
  const { url } = simulator.run(named.name, run);
  if (command.length > 0) return await rehearse({ io, url, command, scenario: named.scenario });
  // Whoever reads where it is may stop it at once.
  const stopped = untilSignalled();
  await say(io, json, { simulator, named, run, url });
  await stopped;
  return EXIT_CODES.ok;
};

async function open({ name, scenario }: NamedScenario, port: number): Promise<Simulator> {
  const scenarios = { ...builtInScenarios(), [name]: scenario };
  try {
    return await openSimulator({ clock: systemClock, scenarios, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new Fault('conflict', `port ${port} is taken`, { hint: 'leave --port out for a free one' });
    if (code === 'EACCES') throw new Fault('forbidden', `this user may not listen at port ${port}`);
    throw error;
  }
}

function portIn(text: string | undefined): number {
  if (text === undefined) return 0;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Fault('invalid', `--port: seen ${JSON.stringify(text)}, expected a number up to 65535`);
}

async function list(io: Io, json: boolean): Promise<number> {
  const scenarios = Object.entries(builtInScenarios()).map(([name, { about }]) => ({ name, about }));
  const width = Math.max(...scenarios.map(({ name }) => name.length));
  if (json) await writeJson(io, { scenarios });
  else await io.out(scenarios.map(({ name, about }) => `${name.padEnd(width)}  ${about}\n`).join(''));
  return EXIT_CODES.ok;
}

interface Opened {
  readonly simulator: Simulator;
  readonly named: NamedScenario;
  readonly run: string;
  readonly url: string;
}

async function say(io: Io, json: boolean, { simulator, named: { name, scenario }, run, url }: Opened): Promise<void> {
  const requests = `${simulator.url}/__requests/${run}`;
  const release = `${simulator.url}/__release/${run}`;
  if (json) return writeJson(io, { scenario: name, run, url, requests, release });
  const agents = manualCommands(url).map(({ agent, lines }) => `${agent}\n${lines.map((line) => `  ${line}\n`).join('')}`);
  const hasGate = scenario.turns.some(({ answers }) => answers.some(({ isGated }) => isGated));
  await io.out(`A model plays ${name} at ${url} until Ctrl-C.

${agents.join('\n')}
What was asked
  curl ${requests}
${hasGate ? `\nLet it go on\n  curl -X POST ${release}\n` : ''}`);
}
