import { parse, TomlError } from 'smol-toml';
import { LIMITS } from '../../domain/limits.ts';
import { isSettingName, SETTING_NAMES, type SettingName } from '../../domain/settings.ts';
import { nearest } from '../../platform/nearest.ts';
import { checkValue } from './setting-value.ts';
import { statementsOf } from './toml-statements.ts';

export type FileValues = Readonly<Partial<Record<SettingName, unknown>>>;

/** What a settings file says. `remarks` do not make it bad: keys nobody knows are left alone. */
export type Parsed =
  | {
      readonly good: true;
      readonly values: FileValues;
      readonly remarks: readonly string[];
      readonly table: Readonly<Record<string, unknown>>;
    }
  | { readonly good: false; readonly problem: string };

export function parseSettings(text: string, file: string): Parsed {
  const most = LIMITS.settingsBytes.value;
  if (Buffer.byteLength(text) > most) return { good: false, problem: `${file} is longer than ${most} bytes` };
  let table: Record<string, unknown>;
  try {
    table = parse(text);
  } catch (error) {
    return { good: false, problem: `${file}${syntaxProblem(error)}` };
  }
  const values: Partial<Record<SettingName, unknown>> = {};
  const remarks: string[] = [];
  for (const [name, value] of Object.entries(table)) {
    const where = () => `${file} line ${lineOf(text, name)}`;
    if (!isSettingName(name)) {
      remarks.push(`${where()}: unknown setting ${JSON.stringify(name)} is ignored${meant(name)}`);
      continue;
    }
    const checked = checkValue(name, value);
    if (!checked.ok) return { good: false, problem: `${where()}: ${checked.why}` };
    values[name] = checked.value;
  }
  return { good: true, values, remarks, table };
}

export function meant(name: string): string {
  const candidate = nearest(name, SETTING_NAMES);
  return candidate === undefined ? '' : `; did you mean ${candidate}?`;
}

export const lineOf = (text: string, name: string): number => statementsOf(text).find(({ path }) => path[0] === name)?.line ?? 1;

/** The first line of the parser's message; the rest of it quotes the file. */
function syntaxProblem(error: unknown): string {
  if (!(error instanceof TomlError)) return `: ${error instanceof Error ? error.message : String(error)}`;
  const [what = ''] = error.message.split('\n', 1);
  return ` line ${error.line}: not good TOML: ${what.replace(/^Invalid TOML document: /, '')}`;
}
