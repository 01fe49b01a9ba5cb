import { Fault } from '../../domain/fault.ts';
import { writeJson } from '../../surfaces/cli/answer.ts';
import { result } from '../../surfaces/cli/demo/result.ts';
import type { CliProgram, Io } from '../../surfaces/cli/deps.ts';
import { EXIT_CODES } from '../../surfaces/cli/exit-codes.ts';
import { programWords } from '../../surfaces/cli/parse/program-words.ts';
import { viewStyleOf } from '../../surfaces/cli/views/style.ts';
import { openServices } from '../open-services.ts';
import { endingOf, factsOf } from './ending.ts';
import { play } from './play.ts';
import { makeScratch } from './scratch.ts';
import { showing } from './showing.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** `fleet demo`: three agents, a real gate and real git, in a home of its own. Nothing of it is left running. */
export const demo: CliProgram['run'] = async (args, given) => {
  const { json, io } = programWords('demo', args, given, { switches: [], places: 0 });
  if (io !== given) throw new Fault('invalid', '--home: the demo has a home of its own, in a temporary directory');
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    return await perform(io, json, stopping.signal);
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, stop);
  }
};

async function perform(io: Io, json: boolean, signal: AbortSignal): Promise<number> {
  const began = io.elapsed();
  const scratch = await makeScratch(io);
  const house = await openServices(scratch.io.env, scratch.directory);
  try {
    const elapsedMs = () => io.elapsed() - began;
    const played = await play({ call: house.call, scratch, show: showing(io, json), signal, elapsedMs });
    if (played === 'stopped') {
      await io.err('\nfleet demo: stopped; nothing of it runs any more\n');
      return EXIT_CODES.interrupted;
    }
    const ending = await endingOf(played, scratch, elapsedMs());
    if (json) await writeJson(io, factsOf(ending, played, scratch));
    else await io.out(`\n${result(ending, viewStyleOf({ ...io, input: {} }))}`);
    return EXIT_CODES.ok;
  } finally {
    await house.close();
  }
}
