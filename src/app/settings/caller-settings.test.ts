import { describe, expect, it } from 'vitest';
import { settingsInEnv, variableOf } from '../../domain/setting-reach.ts';
import { SETTING_NAMES, SETTINGS } from '../../domain/settings.ts';
import type { SettingsPort } from '../../operations/scope.ts';
import { settingsFor } from './caller-settings.ts';
import { resolveSettings } from './resolve-settings.ts';

const port = (file: object = {}): SettingsPort => ({
  current: () => ({ ...resolveSettings(file, {}), file: '/home/runtime.toml' }),
  set: async () => undefined,
});

describe('settings that a caller gives for its own calls', () => {
  it('are found in its environment under the same names as an engine finds them', () => {
    for (const name of SETTING_NAMES) expect(SETTINGS[name].env).toBe(variableOf(name));
    expect(settingsInEnv({ FLEET_EXECUTOR: 'codex', FLEET_MODEL: '', FLEET_HOME: '/x', PATH: '/bin' })).toEqual({
      executor: 'codex',
    });
  });

  it('hold for them, and say that they come from the environment [CONF-01]', () => {
    const { values, items, given, notInForce } = settingsFor(port({ integration: 'none' }), { integration: 'auto' }).current();
    expect({ values: values.integration, given, notInForce }).toEqual({
      values: 'auto',
      given: { integration: 'auto' },
      notInForce: [],
    });
    expect(items.find(({ name }) => name === 'integration')).toMatchObject({ value: 'auto', origin: 'environment' });
  });

  it('narrow rights and never widen them', () => {
    const file = { allowed_repos: ['/srv'], max_depth: 2 };
    const of = (given: Record<string, string>) => settingsFor(port(file), given).current();
    expect(of({ max_depth: '9' }).values.max_depth).toBe(2);
    expect(of({ max_depth: '0' }).values.max_depth).toBe(0);
    expect(of({ allowed_repos: '/srv/a,/other' })).toMatchObject({
      values: { allowed_repos: ['/srv/a'] },
      allowLists: [['/srv'], ['/srv/a', '/other']],
    });
    expect(of({ allowed_repos: '/' }).values.allowed_repos).toEqual(['/srv']);
    expect(of({ allowed_repos: '/other' })).toMatchObject({
      values: { allowed_repos: ['/other'] },
      allowLists: [['/srv'], ['/other']],
    });
  });

  it('are told as not in force where only an engine could go by them, unless it does', () => {
    const { values, notInForce } = settingsFor(port({ max_gates: 4 }), { max_concurrent: '9', max_gates: '4' }).current();
    expect(values.max_concurrent).toBe(3);
    expect(notInForce).toEqual([{ name: 'max_concurrent', variable: 'FLEET_MAX_CONCURRENT', given: 9, inForce: 3 }]);
  });

  it('are refused where they cannot be read, under the name of their variable', () => {
    expect(() => settingsFor(port(), { max_depth: 'deep' })).toThrow('FLEET_MAX_DEPTH: expected a whole number from 0 to 20');
    expect(() => settingsFor(port(), { home: '/x' })).toThrow('no setting "home"');
  });
});
