import { resolve } from 'node:path';
import { Fault } from '../../../domain/fault.ts';
import type { Io } from '../surroundings.ts';
import { unknownFlag } from './globals.ts';

export interface ProgramWords<Switch extends string> {
  readonly switches: ReadonlySet<Switch>;
  /** Words that are no flags. */
  readonly places: readonly string[];
  readonly json: boolean;
  /** With `--home`, if it was given, in its environment. */
  readonly io: Io;
}

/** Reads what follows the name of a program, like `up` in `fleet up --status`. */
export function programWords<Switch extends string>(
  name: string,
  args: readonly string[],
  io: Io,
  { switches, places }: { readonly switches: readonly Switch[]; readonly places: number },
): ProgramWords<Switch> {
  const found = { switches: new Set<Switch>(), places: [] as string[], json: false, home: undefined as string | undefined };
  const known = [...switches.map((word) => `--${word}`), '--json', '--home'];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    const flag = switches.find((candidate) => word === `--${candidate}`);
    if (flag !== undefined) found.switches.add(flag);
    else if (word === '--json') found.json = true;
    else if (word === '--home') found.home = args[++at] ?? '';
    else if (word.startsWith('--home=')) found.home = word.slice('--home='.length);
    else if (word.startsWith('-')) throw unknownFlag(word, known, `fleet ${name} --help`);
    else found.places.push(word);
  }
  if (found.home === '') throw new Fault('invalid', '--home needs a value');
  if (found.places.length > places) {
    const extra = found.places.slice(places).map((word) => JSON.stringify(word));
    throw new Fault('invalid', `too many arguments: ${extra.join(' ')}`, { hint: `see fleet ${name} --help` });
  }
  const { home, ...words } = found;
  return { ...words, io: home === undefined ? io : { ...io, env: { ...io.env, FLEET_HOME: resolve(io.cwd, home) } } };
}
