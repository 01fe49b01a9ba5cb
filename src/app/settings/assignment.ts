import { BOUND_FIELDS } from '../../domain/bounds/bound-settings.ts';
import { Fault } from '../../domain/fault.ts';
import { isSettingName, type SettingName } from '../../domain/settings.ts';
import { meant } from './parse-settings.ts';
import { checkValue, readValue, shapeOf } from './setting-value.ts';

/** One `name=value`, understood. No value: back to the default. */
export interface Assignment {
  readonly name: SettingName;
  /** One entry of a setting that holds several, as in `limit_executor.claude=2`. */
  readonly entry?: string;
  /** One field of an entry that is a table, as in `bounds_team.web.sandbox=required`. */
  readonly field?: string;
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
  if (shapeOf(name) === 'tables') return tableAssignment(name, entry, text);
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

/** A whole table as JSON, or one of its fields: what stands after the last dot, if it is called like one. */
function tableAssignment(name: SettingName, place: string, text: string): Assignment {
  const field = BOUND_FIELDS.find((one) => place.endsWith(`.${one}`));
  const entry = field === undefined ? place : place.slice(0, -field.length - 1);
  if (entry.trim() === '')
    throw new Fault('invalid', `expected ${name}.NAME.FIELD=value, with one of ${BOUND_FIELDS.join(', ')}`);
  const at = { name, entry, ...(field === undefined ? {} : { field }) };
  if (text === '') return at;
  const value = field === undefined ? tableIn(name, text) : fieldValue(field, text);
  const checked = checkValue(name, { [entry]: field === undefined ? value : { [field]: value } });
  if (!checked.ok) throw new Fault('invalid', checked.why, { name });
  return { ...at, value };
}

function tableIn(name: SettingName, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault(
      'invalid',
      `${name}: expected a table as JSON, or ${name}.NAME.FIELD=value with one of ${BOUND_FIELDS.join(', ')}`,
    );
  }
}

function fieldValue(field: (typeof BOUND_FIELDS)[number], text: string): unknown {
  if (field === 'executors') return text.split(',').map((part) => part.trim());
  return field === 'max_budget_usd' && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
}

function accepted(name: SettingName, text: string): unknown {
  const checked = readValue(name, text);
  if (!checked.ok) throw new Fault('invalid', checked.why, { name });
  return checked.value;
}
