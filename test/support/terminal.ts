import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';

/** A program in a terminal of its own, which a test reads and types into as a person does. */
export interface Terminal extends AsyncDisposable {
  /** Everything that was ever seen on the screen. */
  readonly seen: readonly string[];
  /** Waits until the screen holds the text. */
  shows(text: string): Promise<void>;
  /** Types a line, waits until it is there to be read, and sends it. */
  says(line: string): Promise<void>;
  press(key: string): Promise<void>;
  /** Waits until the program has ended, and answers its exit code. */
  ended(): Promise<number>;
  /** Ids of processes that were started from it and are still there. */
  left(): Promise<readonly string[]>;
}

interface Wish {
  /** Where the socket of the terminals lies. */
  readonly directory: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const WAIT = { timeout: 60_000, interval: 100 };

export async function hasTmux(): Promise<boolean> {
  return promisify(execFile)('tmux', ['-V']).then(
    () => true,
    () => false,
  );
}

export async function terminal({ directory, command, env }: Wish): Promise<Terminal> {
  const mark = `FLEET_TEST_PANE=${randomUUID()}`;
  const [name = '', value = ''] = mark.split('=');
  const [socket, settings] = [join(directory, 'pane.sock'), join(directory, 'tmux.conf')];
  await writeFile(settings, 'set -g remain-on-exit on\nset -g history-limit 5000\n');
  const tmux = async (...args: string[]) =>
    (await promisify(execFile)('tmux', ['-f', settings, '-S', socket, ...args], { env: { ...env, [name]: value } })).stdout;
  await tmux('new-session', '-d', '-s', 'pane', '-x', '120', '-y', '40', '-c', directory, ...command);
  const seen: string[] = [];
  const screen = async () => {
    const now = await tmux('capture-pane', '-p', '-t', 'pane');
    if (seen.at(-1) !== now) seen.push(now);
    return now;
  };
  const shows = (text: string) =>
    vi.waitFor(async () => {
      const now = await screen();
      if (!now.includes(text)) throw new Error(`${JSON.stringify(text)} is not on the screen:\n${now}`);
    }, WAIT);
  return {
    seen,
    shows,
    says: async (line) => {
      await tmux('send-keys', '-t', 'pane', '-l', line);
      await shows(line);
      await tmux('send-keys', '-t', 'pane', 'Enter');
    },
    press: async (key) => void (await tmux('send-keys', '-t', 'pane', key)),
    ended: () =>
      vi.waitFor(async () => {
        const [isDead, code] = (await tmux('display-message', '-p', '-t', 'pane', '#{pane_dead} #{pane_dead_status}')).split(' ');
        if (isDead !== '1') throw new Error(`it has not ended:\n${await screen()}`);
        return Number(code);
      }, WAIT),
    left: async () => {
      const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
      const found = await Promise.all(
        pids.map(async (pid) => {
          const of = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
          const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
          return of.includes(mark) && !words.startsWith('tmux') ? [`${pid} ${words.replaceAll('\0', ' ')}`] : [];
        }),
      );
      return found.flat();
    },
    [Symbol.asyncDispose]: async () => void (await tmux('kill-server').catch(() => undefined)),
  };
}
