/** Asking for help or the version costs little more than starting Node. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { measure, timed } from './measure.ts';

const FLEET = fileURLToPath(new URL('../dist/fleet.mjs', import.meta.url));

const startMs = (args: readonly string[]) => (): Promise<number> =>
  timed(() => {
    const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
    if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
  });

for (const flag of ['--help', '--version']) {
  await measure({
    id: 'P10',
    name: `fleet ${flag} v node -e 0`,
    goal: { atMost: 1.3 },
    pairs: 21,
    floor: startMs(['-e', '0']),
    product: startMs([FLEET, flag]),
  });
}
