import { join } from 'node:path';
import { type AcpCli, acpClis } from '../../../clis/acp-clis.ts';
import { claude } from '../../../clis/claude.ts';
import { hadClaudeSdk } from '../../../clis/claude-sdk.ts';
import { codex } from '../../../clis/codex.ts';
import { had } from '../../../clis/install.ts';
import { inFullRun } from '../../../full-only.ts';

/** Where an agent of a house finds its model, and what there is of it. */
export interface Place {
  readonly modelUrl: string;
  /** The directory of the house. */
  readonly directory: string;
  readonly program: string;
  /** Whether it may write to the cache of the tests. */
  readonly isTester: boolean;
}

/** One coding agent as its user has it, with a model that plays a scenario. */
export interface AnyAgent {
  readonly title: string;
  /** The name of its executor. */
  readonly executor: string;
  /** What a person has on the path. Absent: nothing but what its executor names. */
  readonly onPath?: string;
  readonly settings: readonly string[];
  /** The engine's variables. */
  surroundings(place: Place): Readonly<Record<string, string>>;
  /** Files of its user, by path at home; they are shown to it in a sandbox. */
  atHome(place: Place): Readonly<Record<string, string>>;
  /** Links by path in the home of Fleet, and files. */
  readonly links?: Readonly<Record<string, string>>;
  executorFile?(place: Place): string;
  /** For its tasks. */
  flags(place: Place): readonly string[];
  /** What it cannot do, by the word of the test for it, with the reason. */
  readonly cannot: Readonly<Partial<Record<Ability, string>>>;
  /** What it loses when it goes on in the minute of the clock in which it began. */
  readonly losesItsMinute?: true;
  /** A no ends its turn. */
  readonly endsAtNo?: true;
  /** Why it cannot be tried here. */
  readonly missing?: string;
  readonly program: string;
}

export type Ability = 'goes on' | 'copies' | 'is restricted' | 'keeps a conversation that was cut off';

const program = async (cli: Parameters<typeof had>[0], isWanted = inFullRun) =>
  isWanted ? await had(cli) : { missing: 'it is left to the full run' };
const found = (one: Awaited<ReturnType<typeof program>>) =>
  'program' in one ? { program: one.program } : { program: '', missing: one.missing };

const claudeHad = found(await program(claude, true));
const sdk = inFullRun ? await hadClaudeSdk() : { missing: 'it is left to the full run' };

const claudeAround = ({ modelUrl }: Place) => ({ ANTHROPIC_BASE_URL: modelUrl, ANTHROPIC_API_KEY: 'sk-none' });

const byClaude = (engine: 'cli' | 'sdk'): AnyAgent => ({
  title: `Claude Code by its ${engine}`,
  executor: 'claude',
  onPath: 'claude',
  settings: [`claude_engine=${engine}`],
  surroundings: claudeAround,
  atHome: () => ({}),
  flags: () => [],
  cannot: {},
  ...claudeHad,
  ...(engine === 'cli' ? {} : 'modules' in sdk ? { links: { node_modules: sdk.modules } } : sdk),
});

/** It takes no address of a model from its environment. */
const codexProvider = ({ modelUrl }: Place): readonly string[] => {
  const provider = `{name="simulated",base_url="${modelUrl}/v1",wire_api="responses",env_key="OPENAI_API_KEY"}`;
  return ['-c', 'model_provider="simulated"', '-c', `model_providers.simulated=${provider}`];
};

const byCodex: AnyAgent = {
  title: 'Codex',
  executor: 'codex',
  onPath: 'codex',
  settings: [],
  surroundings: ({ directory }) => ({ CODEX_HOME: join(directory, 'codex home'), OPENAI_API_KEY: 'sk-none' }),
  atHome: () => ({}),
  flags: (place) => ['--model', 'simulated', ...codexProvider(place).map((arg) => `--extra-arg=${arg}`)],
  cannot: {},
  ...found(await program(codex, true)),
};

const NO_COPY = 'its protocol has no way to copy a conversation';

const traits: Readonly<Record<string, Pick<AnyAgent, 'cannot' | 'losesItsMinute' | 'endsAtNo'>>> = {
  opencode: { cannot: {} },
  gemini: { cannot: { copies: NO_COPY }, losesItsMinute: true },
  copilot: {
    cannot: { copies: NO_COPY, 'keeps a conversation that was cut off': 'it has kept nothing of it then' },
    endsAtNo: true,
  },
  qwen: { cannot: { copies: NO_COPY }, endsAtNo: true },
};

const byAcp = async (cli: AcpCli): Promise<AnyAgent> => ({
  title: cli.title,
  executor: cli.name,
  onPath: cli.name,
  settings: [],
  surroundings: ({ modelUrl, program: path, isTester }) => {
    // What one of them unpacks, once, only whoever tests may keep there.
    const { XDG_CACHE_HOME: _, ...others } = cli.surroundings(modelUrl, path);
    return isTester ? cli.surroundings(modelUrl, path) : others;
  },
  atHome: ({ modelUrl }) => cli.atHome(modelUrl),
  flags: () => ['--model', cli.model],
  cannot: {},
  ...traits[cli.name],
  ...found(await program(cli)),
});

/** Described by a file: the program of Claude Code as a user starts it in a script, with what a file can say of it. */
const described: AnyAgent = {
  title: 'a custom executor',
  executor: 'described',
  settings: [],
  surroundings: (place) => ({ ...claudeAround(place), IS_SANDBOX: '1' }),
  atHome: () => ({}),
  executorFile: ({ program: path }) => {
    const command = [path, ...claude.headless({ fleet: 'of the run' }), '{prompt}'];
    const allowed = ['ANTHROPIC_*', 'CLAUDE_*', 'IS_SANDBOX'];
    return `command = ${JSON.stringify(command)}\noutput = "jsonl"\nenv_allow = ${JSON.stringify(allowed)}\n${claude.rules}`;
  },
  flags: () => [],
  cannot: {
    'goes on': 'a file cannot say how its program goes on with a conversation',
    copies: 'a file cannot say how its program goes on with a conversation',
    'is restricted': 'a file cannot say how its program is restricted',
    'keeps a conversation that was cut off': 'a file cannot say how its program goes on with a conversation',
  },
  ...claudeHad,
};

export const everyAgent: readonly AnyAgent[] = [
  byClaude('cli'),
  byClaude('sdk'),
  byCodex,
  ...(await Promise.all(acpClis.map(byAcp))),
  described,
];
