import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSecretName } from '../redact/redactor.ts';
import { type EnvironmentRules, environmentFor } from './environment.ts';

/** Two programs, as executors describe them. */
const HERON = ['ANTHROPIC_*', 'CLAUDE_*', 'HERON_HOME', 'AWS_*', 'GH_TOKEN'];
const EGRET = ['OPENAI_*', 'CODEX_*', 'EGRET_*'];

const USER = {
  PATH: '/bin',
  HOME: '/home/you',
  LANG: 'C.UTF-8',
  LC_TIME: 'C',
  EDITOR: 'vi',
  DATABASE_URL: 'postgres://you:hunter2@db/app',
  GITHUB_TOKEN: 'of-your-work',
  GH_TOKEN: 'of-your-work-too',
  AWS_SECRET_ACCESS_KEY: 'of-your-cloud',
  SSH_AUTH_SOCK: '/run/agent',
  NOTHING: undefined,
};
const NET = { HTTPS_PROXY: 'http://proxy:3128', no_proxy: 'localhost', NODE_EXTRA_CA_CERTS: '/ca.pem', SSL_CERT_FILE: '/ca.pem' };
const OF_HERON = {
  ANTHROPIC_API_KEY: 'a',
  ANTHROPIC_BASE_URL: 'http://a',
  CLAUDE_CODE_OAUTH_TOKEN: 'b',
  CLAUDE_CODE_USE_BEDROCK: '1',
  CLAUDE_CONFIG_DIR: '/c',
  HERON_HOME: '/h',
};
const OF_EGRET = { OPENAI_API_KEY: 'd', OPENAI_BASE_URL: 'http://d', CODEX_HOME: '/x', EGRET_REGION: 'eu' };
const OF_NOBODY_HERE = { OPENROUTER_API_KEY: 'r', MISTRAL_API_KEY: 'm', AWS_BEARER_TOKEN_BEDROCK: 'k', GOOGLE_API_KEY: 'g' };
const OF_FLEET = { FLEET_TOKEN: 't', FLEET_URL: 'https://fleet', FLEET_HOME: '/f', FLEET_TLS_KEY: '/k' };
const AROUND = {
  CLAUDECODE: '1',
  CLAUDE_CODE_ENTRYPOINT: 'cli',
  CLAUDE_CODE_SSE_PORT: '4',
  CODEX_SANDBOX: 'x',
  GEMINI_CLI: '1',
  GIT_DIR: '/other/.git',
  TMUX: '/tmp/tmux-0/default,1,0',
  npm_lifecycle_event: 'start',
};
const ALL = { ...USER, ...NET, ...OF_HERON, ...OF_EGRET, ...OF_NOBODY_HERE, ...OF_FLEET, ...AROUND };

const given = (rules: Partial<EnvironmentRules> = {}) =>
  environmentFor(ALL, { own: [], owned: [...HERON, ...EGRET], allow: [], isStrict: false, ...rules });
const names = (...tables: readonly object[]) => tables.flatMap((table) => Object.keys(table)).toSorted();
const { NOTHING: _unset, ...user } = USER;

describe('the environment of an agent', () => {
  it("is the user's, with what is its provider's, and nothing of another provider or of Fleet [T20]", () => {
    expect(names(given({ own: HERON }))).toEqual(names(user, NET, OF_HERON, { AWS_BEARER_TOKEN_BEDROCK: '' }));
    expect(names(given({ own: EGRET }))).toEqual(names(user, NET, OF_EGRET));
    expect(given({ own: EGRET })['OPENAI_BASE_URL']).toBe('http://d');
  });

  it('of one that names no provider, or of a command of the project, holds no key of any [T20]', () => {
    expect(names(given())).toEqual(names(user, NET));
  });

  it('has proxies and certificates whoever it is', () => {
    for (const isStrict of [true, false])
      for (const own of [[], HERON, EGRET]) expect(given({ own, isStrict })).toMatchObject(NET);
  });

  it('does not tell it of the agent, the repository or the terminal that Fleet was started from', () => {
    for (const own of [HERON, EGRET, ['*']]) expect(names(given({ own })).filter((name) => name in AROUND)).toEqual([]);
  });

  it("in strict mode is what is needed, what is its own and what a person lets through, and no one else's secret [T20]", () => {
    const needed = { PATH: '', HOME: '', LANG: '', LC_TIME: '' };
    expect(names(given({ isStrict: true }))).toEqual(names(needed, NET));
    expect(names(given({ isStrict: true, own: EGRET }))).toEqual(names(needed, NET, OF_EGRET));
    expect(names(given({ isStrict: true, allow: ['DATABASE_*', 'GITHUB_TOKEN'] }))).toEqual(
      names(needed, NET, { DATABASE_URL: '', GITHUB_TOKEN: '' }),
    );
    expect(names(given({ isStrict: true })).filter(isSecretName)).toEqual([]);
  });

  it('lets a person give a key to every agent, but never what is Fleet’s', () => {
    expect(names(given({ allow: ['OPENAI_API_KEY', 'FLEET_*'] }))).toEqual(names(user, NET, { OPENAI_API_KEY: '' }));
  });

  it('holds for any names: nothing is invented, nothing of Fleet passes, strict is part of what is inherited', () => {
    const word = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/);
    const name = fc.oneof(
      word,
      fc.constantFrom('FLEET_', 'ANTHROPIC_', 'OPENAI_', 'AWS_', '').map((head) => `${head}KEY`),
      word,
    );
    fc.assert(
      fc.property(fc.dictionary(name, fc.string()), fc.array(name), fc.array(name), (env, own, allow) => {
        const rules = { own, owned: HERON, allow, isStrict: false };
        const [loose, strict] = [environmentFor(env, rules), environmentFor(env, { ...rules, isStrict: true })];
        for (const [key, value] of Object.entries(loose)) expect(env[key]).toBe(value);
        for (const key of Object.keys(strict)) expect(loose).toHaveProperty([key]);
        expect(Object.keys(loose).filter((key) => /^FLEET_(?!TEST_)/.test(key))).toEqual([]);
      }),
    );
  });
});
