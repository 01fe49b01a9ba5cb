/** A value in an option `-c key=value` of codex. */
export type TomlValue = string | number | boolean | readonly TomlValue[] | { readonly [key: string]: TomlValue };

/** The value as TOML on one line. */
export function toml(value: TomlValue): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map(toml).join(',')}]`;
  return `{${Object.entries(value)
    .map(([key, inner]) => `${quoted(key)}=${toml(inner)}`)
    .join(',')}}`;
}

const isList = (value: TomlValue): value is readonly TomlValue[] => Array.isArray(value);

/** A TOML basic string is a JSON string, except for one control character; unpaired surrogates are replaced. */
const quoted = (text: string): string => JSON.stringify(text.toWellFormed()).replaceAll('\u007f', '\\u007f');
