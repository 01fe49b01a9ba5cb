import { z } from 'zod';
import type { OperationName } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Command, CommandTable, CommandValue } from './command.ts';
import { EXAMPLES } from './examples.ts';
import { DESCRIPTIONS, FLOWS, HIDDEN_NOUNS, LEADING, PATHS, POSITIONALS, SHORTCUTS } from './exceptions.ts';
import { kebab } from './kebab.ts';

type Declared = Operation & { readonly name: OperationName };

/** The command line as data: one command for each operation, then the shortcuts. Made when the program is built. */
export function commandTable(contract: readonly Declared[]): CommandTable {
  const derived = contract.map(commandOf);
  const shortcuts = SHORTCUTS.map((shortcut) => shortcutOf(shortcut, derived));
  return { commands: [...derived, ...shortcuts] };
}

function commandOf(operation: Declared): Command {
  const rule = FLOWS[operation.name];
  const placed = POSITIONALS[operation.name] ?? [];
  const values = valuesOf(operation).filter(({ field }) => !rule?.hidden?.includes(field));
  const path = operation.name.split('.');
  return {
    path,
    operation: operation.name,
    kind: operation.kind,
    summary: operation.summary,
    positionals: [...placed.map((field) => atPlace(values, field)), ...(rule?.positionals ?? [])],
    flags: inOrder(LEADING[operation.name] ?? [], [
      ...values
        .filter(({ field }) => !placed.includes(field))
        .map((value) => (rule?.relaxed?.includes(value.field) ? { ...value, required: false } : value)),
      ...(rule?.flags ?? []),
    ]),
    examples: EXAMPLES[operation.name] ?? [],
    ...(rule && { flow: rule.flow }),
    ...(HIDDEN_NOUNS.includes(path[0] ?? '') && { hidden: true }),
  };
}

function inOrder(leading: readonly string[], flags: readonly CommandValue[]): CommandValue[] {
  const rank = ({ field }: CommandValue) => (leading.includes(field) ? leading.indexOf(field) : leading.length);
  return flags.toSorted((a, b) => rank(a) - rank(b));
}

function shortcutOf(
  { word, operation, summary, flow, flags, places = [], locals = [], examples }: (typeof SHORTCUTS)[number],
  derived: readonly Command[],
): Command {
  const original = derived.find((command) => command.operation === operation);
  if (!original) throw new Error(`the shortcut ${word} stands for ${operation}, which is not declared`);
  const { hidden: _, ...command } = original;
  return {
    ...command,
    path: [word],
    summary: summary ?? command.summary,
    positionals: [...command.positionals, ...places.map((field) => atPlace(command.flags, field))],
    flags: [...locals, ...(flags ? command.flags.filter(({ field }) => flags.includes(field)) : command.flags)],
    examples: examples ?? command.examples.map((example) => example.replace(`fleet ${command.path.join(' ')}`, `fleet ${word}`)),
    ...(flow && { flow }),
    shortcut: true,
  };
}

function atPlace(values: readonly CommandValue[], field: string): CommandValue {
  const value = values.find((candidate) => candidate.field === field);
  if (!value) throw new Error(`a place is kept for ${field}, which is no field of the operation`);
  const name = kebab(field).toUpperCase();
  return { ...value, name: value.repeated ? name.replace(/S$/, '') : name };
}

/** The part of JSON Schema our inputs use. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

function valuesOf({ name, input }: Declared): CommandValue[] {
  const schema = z.toJSONSchema(input, { io: 'input' }) as Schema;
  return Object.entries(schema.properties ?? {}).map(([field, property]) => ({
    ...valueOf(field, property),
    required: schema.required?.includes(field) ?? false,
    description: property.description ?? property.items?.description ?? DESCRIPTIONS[name]?.[field] ?? '',
    ...(PATHS[name]?.includes(field) && { isPath: true as const }),
  }));
}

function valueOf(field: string, schema: Schema): Omit<CommandValue, 'required' | 'description'> {
  const repeated = schema.type === 'array';
  const item = repeated ? (schema.items ?? {}) : schema;
  const type = TYPES[item.type ?? ''] ?? 'json';
  const { minimum } = item;
  const isEmptyList = Array.isArray(schema.default) && schema.default.length === 0;
  return {
    name: kebab(field),
    field,
    type,
    repeated,
    ...(item.enum && { choices: item.enum }),
    ...(schema.default !== undefined && !isEmptyList && { default: schema.default }),
    ...(minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER && { minimum }),
    ...(item.maximum !== undefined && item.maximum < Number.MAX_SAFE_INTEGER && { maximum: item.maximum }),
    ...(type === 'boolean' && schema.default === undefined && { negatable: true as const }),
  };
}

const TYPES: Readonly<Record<string, CommandValue['type']>> = {
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
};
