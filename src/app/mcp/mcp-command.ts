import { Fault } from '../../domain/fault.ts';
import type { CliProgram } from '../../surfaces/cli/deps.ts';
import { programWords } from '../../surfaces/cli/parse/program-words.ts';
import { surroundingRun } from '../connect/surrounding-run.ts';

/** `fleet mcp`: for a client of its own, or as the bridge of an agent's run, which must be light. */
export const mcpCommand: CliProgram['run'] = async (args, given) => {
  const { switches, values, places, io } = programWords('mcp', args, given, {
    switches: ['run'],
    values: ['toolset', 'server'],
    places: 1,
  });
  // Whoever finds us in the user's own configuration inside a run is that run, and not the user.
  const around = switches.has('run') ? undefined : surroundingRun(io.env, io.cwd);
  const isRun = switches.has('run') || (around !== undefined && !(values.toolset !== undefined && io.env['FLEET_URL']));
  if (!isRun) {
    if (values.server !== undefined)
      throw new Fault('invalid', '--server is for the agent of a run', { hint: 'see fleet mcp --help' });
    if (places.length > 0)
      throw new Fault('invalid', `too many arguments: ${JSON.stringify(places[0])}`, { hint: 'see fleet mcp --help' });
    return (await import('./stdio.ts')).serveOverStdio(io, values.toolset ?? 'orchestrate');
  }
  if (values.toolset !== undefined)
    throw new Fault('invalid', '--toolset: a run has its own set of tools', { hint: 'leave --toolset or --run out' });
  const { bridge, directoryOf } = await import('./bridge.ts');
  const directory = directoryOf(io, places[0] ?? around?.directory);
  if (values.server === undefined) return bridge(io, directory);
  return (await import('./server-bridge.ts')).bridgeToServer(io, { directory, name: values.server });
};
