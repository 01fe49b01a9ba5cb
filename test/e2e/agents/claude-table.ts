import { it, type TestFunction } from 'vitest';
import { claude } from '../../clis/claude.ts';
import { hadClaudeSdk } from '../../clis/claude-sdk.ts';
import { had } from '../../clis/install.ts';
import { fullOnly, inFullRun } from '../../full-only.ts';
import type { Programs } from './claude-house.ts';
import type { Answer } from './claude-model.ts';

export const WAIT = { timeout: 60_000, interval: 200 };

/** An engine of the executor with what it needs, and ways to title tests that say why they cannot run. */
interface Offered {
  readonly engine: 'cli' | 'sdk';
  readonly programs: Programs;
  /** Runs always, or only in the full run. */
  short(title: string, body: TestFunction): void;
  long(title: string, body: TestFunction): void;
}

async function offered(engine: 'cli' | 'sdk'): Promise<Offered> {
  const isWanted = engine === 'cli' || inFullRun;
  const program = isWanted ? await had(claude) : { program: '' };
  const sdk = engine === 'sdk' && inFullRun ? await hadClaudeSdk() : { modules: '' };
  const missing = 'missing' in program ? program.missing : 'missing' in sdk ? sdk.missing : undefined;
  const skipped = (title: string, body: TestFunction): void => it.skip(`${title}; not run: ${missing}`, body);
  const long = missing === undefined ? (title: string, body: TestFunction) => fullOnly(title, body) : skipped;
  const always =
    missing === undefined
      ? (title: string, body: TestFunction) => {
          it(title, body);
        }
      : skipped;
  return {
    engine,
    programs: {
      claude: 'program' in program ? program.program : '',
      ...(engine === 'sdk' && 'modules' in sdk ? { sdk: sdk.modules } : {}),
    },
    short: engine === 'cli' ? always : long,
    long,
  };
}

export const engines = [await offered('cli'), await offered('sdk')];

export const commit: Answer = { call: 'Bash', with: { command: 'git add -A && git commit -qm "add a"' } };
export const write = (file: string, content = 'hello\n'): Answer => ({ call: 'Write', with: { file_path: file, content } });
export const work = (file: string): readonly Answer[] => [write(file), commit, { say: 'done' }];
/** A command that goes on until somebody ends it; a bare sleep is not let through. */
export const linger: Answer = { call: 'Bash', with: { command: 'timeout 300 tail -f /dev/null; true', timeout: 400_000 } };
export const report = { status: 'succeeded', summary: 'added a', done: ['a'], nextSteps: [] };
export const reporting: readonly Answer[] = [
  { call: 'ToolSearch', with: { query: 'select:mcp__fleet__submit_report', max_results: 1 } },
  { call: 'submit_report', with: report },
];
/** Of one answer of the model. */
export const USED = { inputTokens: 120, outputTokens: 10, cachedTokens: 50 };
export const times = (count: number) => Object.fromEntries(Object.entries(USED).map(([key, value]) => [key, value * count]));
export const inPlace = ['--no-expects-changes', '--integration', 'none'];
