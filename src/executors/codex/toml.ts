/** What can stand in an option `-c key=value` of codex. */
export type TomlValue = string | number | boolean | readonly TomlValue[] | { readonly [key: string]: TomlValue };

/** A value as TOML on one line. */
export function toml(value: TomlValue): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map(toml).join(',')}]`;
  return `{${Object.entries(value)
    .map(([key, inner]) => `${quoted(key)}=${toml(inner)}`)
    .join(',')}}`;
}

const isList = (value: TomlValue): value is readonly TomlValue[] => Array.isArray(value);

/** A basic string is a string of JSON but for one control character; what is no text at all, half a pair, it cannot hold. */
const quoted = (text: string): string => JSON.stringify(text.toWellFormed()).replaceAll('\u007f', '\\u007f');
