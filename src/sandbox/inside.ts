/**
 * The first program in a sandbox: opens the ways out on its own loopback, starts the agent and ends as it ended. Node sets
 * all signals back to what they are by default, for itself and for what it starts.
 *
 * Arguments: `shared` or `own`, loopback ports of the machine to be found at the same place in here (`-` for none), and
 * the agent's command.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { openWays } from './ways-out.ts';

const [network, ports = '-', command = '', ...args] = process.argv.slice(2);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => {});

const ways = network === 'own' ? await openWays(ports.split(',').map(Number).filter(Boolean)) : {};
const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...ways } });
child.once('error', (error) => {
  process.stderr.write(`fleet sandbox: ${command} did not start: ${error.message}\n`);
  process.exit(127);
});
child.once('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));
