import { mkdir, readFile, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { survivors } from '../../../src/runner/process-table.ts';
import { type Engine, type TaskJson, type WorkHouse, type WorkHouseOptions, workHouse } from '../../support/work-house.ts';
import { type Answer, type ClaudeModel, claudeModel, type Stage } from './claude-model.ts';

/** Where the real programs are. */
export interface Programs {
  readonly claude: string;
  /** Directory of modules with the Agent SDK; without it the program is spoken to directly. */
  readonly sdk?: string;
  /** The real Codex beside it; its home is the directory `codex home` of the house. */
  readonly codex?: string;
}

/** A house whose agents are the real Claude Code, with a model that answers as it is told. */
export interface ClaudeHouse extends WorkHouse {
  readonly model: ClaudeModel;
  /** What the engine is started with. */
  readonly around: Record<string, string>;
  first(): Engine;
  work(answers: readonly Answer[], ...flags: string[]): Promise<Work>;
  run(id: string): Promise<RunFacts>;
  processes(): Promise<number>;
}

export interface Work {
  readonly id: string;
  readonly stage: Stage;
}

export interface RunFacts {
  readonly id: string;
  readonly phase: {
    readonly state: string;
    readonly outcome?: string;
    readonly detail?: string;
    readonly agent?: { readonly pid: number };
  };
  readonly watch: {
    readonly session?: string;
    readonly unknownLines?: number;
    readonly limitedUntil?: string;
    readonly quota?: readonly { readonly window: string; readonly used: number; readonly resets?: string }[];
    readonly context?: { readonly tokens: number; readonly limit?: number };
    readonly usage?: {
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly cachedTokens: number;
      readonly costUsd?: number;
    };
  };
}

export async function claudeHouse(
  { claude, sdk, codex }: Programs,
  { settings = [] }: WorkHouseOptions = {},
  more: Record<string, string> = {},
): Promise<ClaudeHouse> {
  const house = await workHouse([], {
    engine: false,
    settings: ['grace_seconds=2', `claude_engine=${sdk ? 'sdk' : 'cli'}`, ...settings],
  });
  const model = await claudeModel();
  const bin = join(house.directory, 'bin');
  const TMPDIR = join(house.directory, 'tmp');
  for (const directory of [bin, TMPDIR]) await mkdir(directory);
  await symlink(claude, join(bin, 'claude'));
  if (sdk) await symlink(sdk, join(house.home, 'node_modules'));
  const CODEX_HOME = join(house.directory, 'codex home');
  if (codex) await Promise.all([mkdir(CODEX_HOME), symlink(codex, join(bin, 'codex'))]);
  const around = {
    PATH: `${bin}${delimiter}${house.env['PATH']}`,
    TMPDIR,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'sk-none',
    ...(codex ? { CODEX_HOME, OPENAI_API_KEY: 'sk-none' } : {}),
    ...more,
  };
  const engine = await house.up(around, false);
  return {
    ...house,
    model,
    around,
    first: () => engine,
    work: async (answers, ...flags) => {
      const stage = model.play(answers);
      // Titles of earlier work are part of the history of the repository, which every agent is shown.
      const made = await house.ok([
        ...['task', 'create', '--project', 'shop', '--prompt', `Do what ${stage.name} wants.`, '--title', 'work'],
        ...['--executor', 'claude', '--json'],
        ...flags,
      ]);
      return { id: made.json<TaskJson>().id, stage };
    },
    run: async (id) => (await house.ok(['run', 'show', id, '--json'])).json<RunFacts>(),
    processes: async () => (await survivors((await readFile(join(house.home, 'mark'), 'utf8')).trim())).length,
    [Symbol.asyncDispose]: async () => {
      await model[Symbol.asyncDispose]();
      await house[Symbol.asyncDispose]();
    },
  };
}
