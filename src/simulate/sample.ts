import { z } from 'zod';

const Schema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  minimum: z.number().optional(),
  anyOf: z.array(z.unknown()).optional(),
  items: z.unknown().optional(),
});

const DEEP = 8;

/** A small value that matches the JSON schema. */
export function sampleOf(schema: unknown, level = 0): unknown {
  const read = Schema.safeParse(schema);
  if (!read.success || level > DEEP) return {};
  const { type, properties = {}, required = [], enum: choices, const: only, minimum, anyOf } = read.data;
  if (only !== undefined) return only;
  if (choices && choices.length > 0) return choices[0];
  if (anyOf && anyOf.length > 0) return sampleOf(anyOf[0], level + 1);
  // Gemini writes type names in capitals.
  const kind = String(Array.isArray(type) ? type[0] : type).toLowerCase();
  if (kind === 'number' || kind === 'integer') return minimum ?? 1;
  if (Object.hasOwn(PLAIN, kind)) return PLAIN[kind];
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name], level + 1)]));
}

const PLAIN: Readonly<Record<string, unknown>> = { string: 'ok', boolean: false, array: [], null: null };

/** The properties of a tool's arguments and the names of the required ones. */
export function argumentsOf(schema: unknown): { readonly properties: Readonly<Record<string, unknown>>; required: string[] } {
  const read = Schema.safeParse(schema);
  return read.success
    ? { properties: read.data.properties ?? {}, required: read.data.required ?? [] }
    : { properties: {}, required: [] };
}

export const isList = (schema: unknown): boolean => {
  const read = Schema.safeParse(schema);
  return read.success && String(read.data.type).toLowerCase() === 'array';
};
