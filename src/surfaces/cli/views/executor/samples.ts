import type { OutputOf } from '../../../../contract/call.ts';
import type { ExecutorView } from '../../../../contract/executor.ts';

const all = { resume: true, fork: true, steer: true, ask: true, usage: true, context: true, mcp: true, tools: true };

const claude: ExecutorView = {
  name: 'claude',
  state: 'ready',
  origin: 'built_in',
  isDefault: true,
  model: 'opus',
  program: {
    command: 'claude',
    found: true,
    path: '/home/you/.npm/lib/node_modules/claude/native/claude',
    wrapper: '/home/you/.npm/bin/claude',
    version: '2.1.30',
    proved: '2.1.30',
    age: 'proved',
  },
  signedIn: 'yes',
  signedInBy: '/home/you/.claude/.credentials.json',
  accounts: [
    { name: 'work', signedIn: 'yes', signedInBy: '/home/you/.claude-work/.credentials.json' },
    {
      name: 'spare',
      signedIn: 'no',
      problem: 'it is not signed in',
      repair: 'CLAUDE_CONFIG_DIR=/home/you/.claude-spare claude (then /login)',
    },
  ],
  can: all,
};

const items: OutputOf<'executor.list'>['items'] = [
  claude,
  {
    name: 'codex',
    state: 'signed_out',
    origin: 'built_in',
    isDefault: false,
    program: { command: 'codex', found: true, path: '/usr/bin/codex', version: '0.150.2', proved: '0.145.0', age: 'newer' },
    signedIn: 'no',
    can: { ...all, tools: false },
    problem: 'it is not signed in',
    repair: 'codex login',
  },
  {
    name: 'gemini',
    state: 'missing',
    origin: 'built_in',
    isDefault: false,
    program: { command: 'gemini', found: false, proved: '0.20.0' },
    signedIn: 'no',
    can: { ...all, fork: false, ask: false },
    problem: 'its program gemini was not found',
    repair: 'npm install -g @google/gemini-cli',
  },
  {
    name: 'mine',
    state: 'broken',
    origin: 'module',
    file: '/home/you/.fleet/executors/mine.mjs',
    isDefault: false,
    signedIn: 'unknown',
    problem: 'executors/mine.mjs: SyntaxError: Unexpected token',
    repair: 'edit /home/you/.fleet/executors/mine.mjs',
  },
  { name: 'scripted', state: 'ready', origin: 'built_in', isDefault: false, signedIn: 'yes', can: { ...all, tools: false } },
];

export const executorSamples: { readonly [Name in 'executor.list' | 'executor.show']: OutputOf<Name> } = {
  'executor.list': { items },
  'executor.show': claude,
};
