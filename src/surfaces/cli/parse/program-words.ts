import { resolve } from 'node:path';
import { Fault } from '../../../domain/fault.ts';
import type { Io } from '../deps.ts';
import { unknownFlag } from './globals.ts';

export interface ProgramWords<Switch extends string, Value extends string = never> {
  /** Of flags that take one, like `--port 8080`. */
  readonly values: Readonly<Partial<Record<Value, string>>>;
  readonly switches: ReadonlySet<Switch>;
  /** Words that are no flags. */
  readonly places: readonly string[];
  readonly json: boolean;
  /** With `--home`, if it was given, in its environment. */
  readonly io: Io;
}

/** Reads what follows the name of a program, like `up` in `fleet up --status`. */
export function programWords<Switch extends string, Value extends string = never>(
  name: string,
  args: readonly string[],
  io: Io,
  {
    switches,
    places,
    values = [],
  }: { readonly switches: readonly Switch[]; readonly places: number; readonly values?: readonly Value[] },
): ProgramWords<Switch, Value> {
  const found = {
    switches: new Set<Switch>(),
    places: [] as string[],
    values: {} as Partial<Record<Value | 'home', string>>,
    json: false,
  };
  const valued: readonly (Value | 'home')[] = [...values, 'home'];
  const known = [...switches, ...valued, 'json'].map((word) => `--${word}`);
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    const flag = switches.find((candidate) => word === `--${candidate}`);
    const value = valued.find((candidate) => word === `--${candidate}` || word.startsWith(`--${candidate}=`));
    if (flag !== undefined) found.switches.add(flag);
    else if (word === '--json') found.json = true;
    else if (value !== undefined)
      found.values[value] = word === `--${value}` ? (args[++at] ?? '') : word.slice(`--${value}=`.length);
    else if (word.startsWith('-')) throw unknownFlag(word, known, `fleet ${name} --help`);
    else found.places.push(word);
  }
  const empty = valued.find((name) => found.values[name] === '');
  if (empty !== undefined) throw new Fault('invalid', `--${empty} needs a value`);
  if (found.places.length > places) {
    const extra = found.places.slice(places).map((word) => JSON.stringify(word));
    throw new Fault('invalid', `too many arguments: ${extra.join(' ')}`, { hint: `see fleet ${name} --help` });
  }
  const { home, ...rest } = found.values;
  return {
    ...found,
    values: rest as Partial<Record<Value, string>>,
    io: home === undefined ? io : { ...io, env: { ...io.env, FLEET_HOME: resolve(io.cwd, home) } },
  };
}
