import { Fault } from '../../domain/fault.ts';
import { isSettingName, type SettingName } from '../../domain/settings.ts';
import { meant } from './parse-settings.ts';
import { readValue, shapeOf } from './setting-value.ts';

/** One `name=value`, understood. No value: back to the default. */
export interface Assignment {
  readonly name: SettingName;
  /** One entry of a setting that holds several, as in `limit_executor.claude=2`. */
  readonly entry?: string;
  readonly value?: unknown;
}

export function readAssignment(raw: string): Assignment {
  const name = /^[^.=]*/.exec(raw)?.[0] ?? '';
  const hasEntry = raw[name.length] === '.';
  const equals = hasEntry ? raw.lastIndexOf('=') : raw.indexOf('=');
  if (equals === -1) throw new Fault('invalid', `expected name=value, got ${JSON.stringify(raw)}`);
  if (!isSettingName(name))
    throw new Fault('not_found', `no setting ${JSON.stringify(name)}${meant(name) || ': `fleet config show` lists them'}`, {
      name,
    });

  const text = raw.slice(equals + 1);
  if (!hasEntry) return { name, ...(text !== '' && { value: accepted(name, text) }) };
  const entry = raw.slice(name.length + 1, equals);
  if (shapeOf(name) !== 'counts')
    throw new Fault('invalid', `${name} is one value, not several: write ${name}=…, got ${JSON.stringify(raw)}`);
  if (entry.trim() === '') throw new Fault('invalid', `expected ${name}.NAME=number, got ${JSON.stringify(raw)}`);
  if (text === '') return { name, entry };
  const counts = accepted(name, JSON.stringify({ [entry]: /^[+-]?\d{1,16}$/.test(text.trim()) ? Number(text) : text })) as Record<
    string,
    number
  >;
  if (!Object.hasOwn(counts, entry)) throw new Fault('invalid', `${name}: ${JSON.stringify(entry)} cannot be used as a name`);
  return { name, entry, value: counts[entry] };
}

function accepted(name: SettingName, text: string): unknown {
  const checked = readValue(name, text);
  if (!checked.ok) throw new Fault('invalid', checked.why, { name });
  return checked.value;
}
