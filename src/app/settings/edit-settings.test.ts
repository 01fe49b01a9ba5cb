import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { readAssignment } from './assignment.ts';
import { editSettings } from './edit-settings.ts';

const set = (text: string, ...assignments: string[]) => editSettings(text, assignments.map(readAssignment));

describe('changing the settings file', () => {
  it('keeps comments, unknown keys, order and spacing [CONF-01]', () => {
    const before = '# my fleet\nmax_concurrent   =  3   # enough\n\nmine = [ 1,\n  2 ]\n[plugin]\nmodel = "untouched"\n';
    expect(set(before, 'max_concurrent=7', 'executor=codex')).toBe(
      '# my fleet\nmax_concurrent   =  7   # enough\n\nmine = [ 1,\n  2 ]\nexecutor = "codex"\n[plugin]\nmodel = "untouched"\n',
    );
  });

  it('puts a first value before a table, so that it does not become part of it', () => {
    expect(parse(set('[plugin]\nx = 1\n', 'max_concurrent=2'))).toEqual({ max_concurrent: 2, plugin: { x: 1 } });
  });

  it('ends a last line that had no line break', () => {
    expect(set('max_depth = 1', 'max_concurrent=2')).toBe('max_depth = 1\nmax_concurrent = 2\n');
  });

  it('removes a value with an empty one', () => {
    expect(set('executor = "codex"\nmax_depth = 1\n', 'executor=')).toBe('max_depth = 1\n');
    expect(set('max_depth = 1\n', 'executor=')).toBe('max_depth = 1\n');
  });

  it.each([
    ['nothing', ''],
    ['an inline table', 'limit_executor = { codex = 1 } # few\n'],
    ['a table', 'x = 1\n[limit_executor]\n# few\ncodex = 1\n\n[other]\ny = 1\n'],
    ['dotted keys', 'limit_executor.codex = 1\n[other]\ny = 1\n'],
  ])('sets, changes and removes one entry written as %s', (_, text) => {
    const before = { ...(parse(text)['limit_executor'] as object | undefined) };
    const added = set(text, 'limit_executor.claude=2', 'limit_executor.my "own".x=3');
    expect(parse(added)).toEqual({ ...parse(text), limit_executor: { ...before, claude: 2, 'my "own".x': 3 } });
    const changed = set(added, 'limit_executor.claude=9', 'limit_executor.my "own".x=');
    expect(parse(changed)).toEqual({ ...parse(text), limit_executor: { ...before, claude: 9 } });
    expect(parse(set(changed, 'limit_executor=a=1,b=2'))).toEqual({ ...parse(text), limit_executor: { a: 1, b: 2 } });
    expect(parse(set(changed, 'limit_executor='))['limit_executor']).toBeUndefined();
    expect((changed.match(/#.*/g) ?? []).join()).toBe((text.match(/#.*/g) ?? []).join());
  });

  it.each([
    ['nothing', ''],
    ['an inline table', 'bounds_team = { web = { sandbox = "required" } } # mine\n'],
    [
      'a table',
      'x = 1\n[bounds_team.web]\n# mine\nsandbox = "required"\n\n[bounds_team.red]\nmax_budget_usd = 1\n[other]\ny = 1\n',
    ],
    ['a table of tables', '[bounds_team]\nweb = { sandbox = "required" }\n[bounds_team.red]\nmax_budget_usd = 1\n'],
    ['dotted keys', 'bounds_team.web.sandbox = "required"\n[other]\ny = 1\n'],
  ])('sets, changes and removes the fields of a table written as %s', (_, text) => {
    const { web = {}, ...others } = structuredClone(parse(text)['bounds_team'] ?? {}) as Record<string, object>;
    const added = set(text, 'bounds_team.web.executors=claude, codex/work', 'bounds_team.a.b.max_budget_usd=2.5');
    const executors = ['claude', 'codex/work'];
    const now = { ...others, web: { ...web, executors }, 'a.b': { max_budget_usd: 2.5 } };
    expect(parse(added)).toEqual({ ...parse(text), bounds_team: now });
    const changed = set(added, 'bounds_team.a.b.max_budget_usd=', 'bounds_team.web={"sandbox":"required"}');
    expect(parse(changed)).toEqual({ ...parse(text), bounds_team: { ...others, web: { sandbox: 'required' } } });
    expect(parse(set(changed, 'bounds_team='))['bounds_team']).toBeUndefined();
  });

  it.each([
    ['bounds_role.boss.sandbox=required', 'boss'],
    ['bounds_role.worker.sandbox=never', 'required'],
    ['bounds_role.worker.max_budget_usd=lots', 'lots'],
    ['bounds_role.worker.max_budget_usd=0', 'got 0'],
    ['bounds_role.worker.executors=', ''],
    ['bounds_team.web={"speed":1}', 'speed'],
    ['bounds_team.web=yes', 'as JSON'],
    ['bounds_team..sandbox=required', 'expected bounds_team.NAME'],
  ])('refuses %s', (assignment, words) => {
    if (words !== '') expect(() => readAssignment(assignment)).toThrow(words);
    else expect(set('', assignment)).toBe('');
  });

  it('leaves a file with Windows line breaks as one', () => {
    expect(set('max_depth = 1\r\n', 'max_concurrent=2')).toBe('max_depth = 1\r\nmax_concurrent = 2\r\n');
  });
});

describe('an assignment', () => {
  const refused = (raw: string) => {
    try {
      readAssignment(raw);
    } catch (error) {
      return error;
    }
    return undefined;
  };

  it.each([
    ['max_concurent=3', 'not_found', 'no setting "max_concurent"; did you mean max_concurrent?'],
    ['zzz=3', 'not_found', 'no setting "zzz": `fleet config show` lists them'],
    ['max_concurrent=many', 'invalid', 'max_concurrent: expected a whole number from 1 to 1000, got "many"'],
    ['max_concurrent=0', 'invalid', 'max_concurrent: expected a whole number from 1 to 1000, got 0'],
    ['integration=maybe', 'invalid', 'integration: expected one of auto, review, pr, none, got "maybe"'],
    ['limit_executor.claude=lots', 'invalid', 'limit_executor.claude: expected a whole number from 1 to 1000, got "lots"'],
    ['limit_executor=claude', 'invalid', 'limit_executor: expected names with whole numbers, like name=3,other=2, got "claude"'],
    ['max_concurrent', 'invalid', 'expected name=value, got "max_concurrent"'],
    ['executor.claude=1', 'invalid', 'executor is one value, not several: write executor=…, got "executor.claude=1"'],
    ['limit_executor.__proto__=1', 'invalid', 'limit_executor: "__proto__" cannot be used as a name'],
  ])('%s is refused by name [CONF-01]', (raw, code, message) => {
    expect(refused(raw)).toMatchObject({ code, message });
  });
});
