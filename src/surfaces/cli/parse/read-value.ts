import { resolve } from 'node:path';
import { Fault } from '../../../domain/fault.ts';
import type { CommandValue } from '../command.ts';
import { kebab } from '../kebab.ts';

/** Turns what was typed into what the operation takes, or says which value was expected. */
export function readValue(value: CommandValue, label: string, raw: string, cwd: string): unknown {
  const wrong = (expected: string) =>
    new Fault('invalid', `${label}: expected ${expected}, got ${shown(raw)}`, { field: value.field });
  switch (value.type) {
    case 'integer':
      if (!/^[+-]?\d{1,16}$/.test(raw) || !inRange(value, Number(raw))) throw wrong(`a whole number${range(value)}`);
      return Number(raw);
    case 'number':
      if (!/^[+-]?(\d+(?:\.\d*)?|\.\d+)$/.test(raw) || !inRange(value, Number(raw))) throw wrong(`a number${range(value)}`);
      return Number(raw);
    case 'json':
      return readJson(raw) ?? refuse(wrong('a JSON object like {"name":"value"}'));
    case 'boolean':
      throw new Error(`${value.name} is a switch and takes no text`);
    case 'string':
      return readText(value, raw, cwd) ?? refuse(wrong(`one of ${(value.choices ?? []).map(kebab).join(', ')}`));
  }
}

function readText({ choices, isPath }: CommandValue, raw: string, cwd: string): string | undefined {
  if (choices) return choices.find((choice) => choice === raw || kebab(choice).replaceAll('_', '-') === raw);
  return isPath && raw !== '' && raw !== '-' ? resolve(cwd, raw) : raw;
}

function readJson(raw: string): object | undefined {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function refuse(fault: Fault): never {
  throw fault;
}

const inRange = ({ minimum, maximum }: CommandValue, seen: number): boolean =>
  seen >= (minimum ?? -Infinity) && seen <= (maximum ?? Infinity);

export function range({ minimum, maximum }: Pick<CommandValue, 'minimum' | 'maximum'>): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}

const longest = 60;
const shown = (raw: string): string => JSON.stringify(raw.length > longest ? `${raw.slice(0, longest)}…` : raw);
