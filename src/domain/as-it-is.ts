import type { z } from 'zod';

type Schema = z.core.$ZodType;
type Def = z.core.$ZodTypes['_zod']['def'];
type Check = z.core.$ZodChecks['_zod']['def'] | z.core.$ZodCustomDef;

interface Sieve {
  /** Whether the schema accepts the value and would change nothing in it. */
  readonly holds: (value: unknown) => boolean;
  /** What does not hold is refused by the schema, too: it would not accept it with a change. */
  readonly isSure: boolean;
}

/**
 * What `schema.parse` answers, for a fraction: a schema looks at each field that there may be, makes an object for each look
 * and copies what it has seen, and of a task's eighty fields few are there. Here those that are there are looked at, and a
 * value that is right as it is comes back itself, with the defaults of its schema where it lacks a field. Undefined: not
 * surely right, or would be changed. Then the schema itself decides, and only it says what is wrong.
 */
export function asItIs<Parsed extends Schema>(schema: Parsed, value: unknown): z.output<Parsed> | undefined {
  const filled = withDefaults(schema._zod.def as Def, value);
  return sieveOf(schema).holds(filled) ? (filled as z.output<Parsed>) : undefined;
}

const REFUSES: Sieve = { holds: () => false, isSure: false };
const sieves = new WeakMap<Schema, Sieve>();

function sieveOf(schema: Schema): Sieve {
  const known = sieves.get(schema) ?? checked(schema._zod.def as Def);
  sieves.set(schema, known);
  return known;
}

function checked(def: Def): Sieve {
  const { holds: first, isSure } = shaped(def);
  let holds = first;
  for (const check of def.checks ?? []) {
    const [before, rule] = [holds, ruleOf(check._zod.def as Check)];
    if (!rule) return REFUSES;
    holds = (value) => before(value) && rule(value);
  }
  return { holds, isSure };
}

/** Kinds of schemas that are not here are left to themselves. */
function shaped(def: Def): Sieve {
  if (def.type === 'string') return 'format' in def ? REFUSES : sure((value) => typeof value === 'string');
  if (def.type === 'boolean') return sure((value) => typeof value === 'boolean');
  if (def.type === 'number') return numberOf(def);
  if (def.type === 'unknown') return sure(() => true);
  if (def.type === 'enum') return oneOf(Object.values(def.entries));
  if (def.type === 'literal') return oneOf(def.values);
  if (def.type === 'optional') return or(undefined, sieveOf(def.innerType));
  if (def.type === 'nullable') return or(null, sieveOf(def.innerType));
  if (def.type === 'default') return { holds: sieveOf(def.innerType).holds, isSure: false };
  if (def.type === 'array') return listOf(sieveOf(def.element));
  if (def.type === 'record') return recordOf(def);
  if (def.type === 'union') return anyOf(def.options.map(sieveOf));
  return def.type === 'object' ? objectOf(def) : REFUSES;
}

const sure = (holds: Sieve['holds']): Sieve => ({ holds, isSure: true });

function oneOf(values: Iterable<unknown>): Sieve {
  const known = new Set(values);
  return sure((value) => known.has(value));
}

const or = (other: unknown, { holds, isSure }: Sieve): Sieve => ({ holds: (value) => value === other || holds(value), isSure });

function numberOf(def: object): Sieve {
  if (!('format' in def)) return sure(Number.isFinite);
  return def.format === 'safeint' ? sure(Number.isSafeInteger) : REFUSES;
}

function listOf({ holds, isSure }: Sieve): Sieve {
  const all = (list: readonly unknown[]) => {
    for (const one of list) if (!holds(one)) return false;
    return true;
  };
  return { holds: (value) => Array.isArray(value) && all(value), isSure };
}

function recordOf({ keyType, valueType }: z.core.$ZodRecordDef): Sieve {
  if ((keyType._zod.def as Def).type !== 'string') return REFUSES;
  const [name, inner] = [sieveOf(keyType), sieveOf(valueType as Schema)];
  const all = (value: object) =>
    Object.entries(value).every(([key, one]) => key !== '__proto__' && name.holds(key) && inner.holds(one));
  return { holds: (value) => isPlain(value) && all(value), isSure: false };
}

/** The first that accepts decides: none before it may accept with a change. */
function anyOf(options: readonly Sieve[]): Sieve {
  return options.every(({ isSure }) => isSure) ? sure((value) => options.some(({ holds }) => holds(value))) : REFUSES;
}

function objectOf({ shape, catchall }: z.core.$ZodObjectDef): Sieve {
  const isStrict = (catchall?._zod.def as Def | undefined)?.type === 'never';
  if (catchall && !isStrict) return REFUSES;
  const isNeeded = (field: Schema) => (field._zod.def as Def).type !== 'optional';
  const fields = new Map(
    Object.entries(shape).map(([name, field]) => [name, { ...sieveOf(field as Schema), isNeeded: isNeeded(field as Schema) }]),
  );
  const needed = [...fields.values()].filter((field) => field.isNeeded).length;
  const all = (value: object) => {
    let found = 0;
    for (const name of Object.keys(value)) {
      const field = fields.get(name);
      if (!field?.holds((value as Record<string, unknown>)[name])) return false;
      if (field.isNeeded) found += 1;
    }
    return found === needed;
  };
  const isSure = isStrict && [...fields.values()].every((field) => field.isSure);
  return { holds: (value) => isPlain(value) && all(value), isSure };
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function ruleOf(check: Check): ((value: unknown) => boolean) | undefined {
  if (check.check === 'custom') return check.when ? undefined : (value) => Boolean(check.fn(value));
  if (check.check === 'string_format' && check.format === 'regex') return patternOf(check.pattern);
  if (check.check === 'max_length') return (value) => (value as string).length <= check.maximum;
  if (check.check === 'min_length') return (value) => (value as string).length >= check.minimum;
  if (check.check === 'less_than')
    return (value) =>
      check.inclusive ? (value as number) <= (check.value as number) : (value as number) < (check.value as number);
  if (check.check === 'greater_than')
    return (value) =>
      check.inclusive ? (value as number) >= (check.value as number) : (value as number) > (check.value as number);
  return undefined;
}

/** One that remembers where it was is not asked out of turn. */
const patternOf = (pattern: RegExp | undefined): ((value: unknown) => boolean) | undefined =>
  pattern && !pattern.global && !pattern.sticky ? (value) => pattern.test(value as string) : undefined;

const defaults = new WeakMap<Def, readonly (readonly [string, z.core.$ZodDefaultDef])[]>();

/** Only for an object itself, not for what is in it. */
function withDefaults(def: Def, value: unknown): unknown {
  if (def.type !== 'object' || !isPlain(value)) return value;
  const known = defaults.get(def) ?? defaultsIn(def);
  defaults.set(def, known);
  // Set below, a field of that name would be lost.
  if (known.every(([name]) => Object.hasOwn(value, name)) || Object.hasOwn(value, '__proto__')) return value;
  const filled: Record<string, unknown> = {};
  for (const [name, field] of known) filled[name] = field.defaultValue;
  for (const name of Object.keys(value)) filled[name] = (value as Record<string, unknown>)[name];
  return filled;
}

const defaultsIn = ({ shape }: z.core.$ZodObjectDef) =>
  Object.entries(shape).flatMap(([name, field]) => {
    const def = field._zod.def as Def;
    return def.type === 'default' ? [[name, def] as const] : [];
  });
