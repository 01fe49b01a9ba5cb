import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Every so many files differ. */
const CHANGED = 1_000;

export interface Bench {
  readonly root: string;
  readonly repository: string;
  readonly env: NodeJS.ProcessEnv;
  readonly start: string;
}

/** Two commits, as far apart as a few tasks that landed meanwhile; made without a working tree. */
export async function repositoryOf(root: string, files: number): Promise<Bench> {
  const repository = join(root, `shop-${files}`);
  const env = { ...process.env, HOME: root, FLEET_HOME: join(root, 'fleet'), GIT_CONFIG_NOSYSTEM: '1' };
  await mkdir(repository, { recursive: true });
  const git = async (...args: string[]) => (await run('git', args, { cwd: repository, env })).stdout.trim();
  await git('init', '-q', '-b', 'main');
  const text = (n: number, round: number) => `file ${n} ${n % CHANGED === 0 ? round : ''}\n${'line of text\n'.repeat(40)}`;
  const stream = [0, 1].map((round) => {
    const head = `commit refs/heads/main\ncommitter A <a@b> 1700000000 +0000\ndata 1\nc\n`;
    const changed = Array.from({ length: files }, (_, n) => n).filter((n) => round === 0 || n % CHANGED === 0);
    return (
      head +
      changed.map((n) => `M 100644 inline d${n % 500}/f${n}.txt\ndata ${text(n, round).length}\n${text(n, round)}\n`).join('')
    );
  });
  const importing = execFile('git', ['fast-import', '--quiet'], { cwd: repository, env });
  importing.stdin?.end(stream.join(''));
  await new Promise((resolve, reject) =>
    importing.once('exit', (code) => (code === 0 ? resolve(undefined) : reject(new Error('fast-import')))),
  );
  return { root, repository, env, start: await git('rev-parse', 'main') };
}
