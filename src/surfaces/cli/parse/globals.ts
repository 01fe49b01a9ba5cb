import { resolve } from 'node:path';
import { Fault } from '../../../domain/fault.ts';
import { nearest } from '../../../platform/nearest.ts';

/** What every command understands. */
export interface Globals {
  readonly json: boolean;
  readonly help: boolean;
  readonly version: boolean;
  readonly home?: string;
  readonly key?: string;
}

/** Flags of every command, in the order help lists them. `value` is what help writes in place of the value. */
export const GLOBAL_FLAGS: readonly {
  readonly name: string;
  readonly short?: string;
  readonly value?: string;
  readonly description: string;
}[] = [
  { name: 'json', description: 'answer as one JSON value; errors too, on standard error' },
  { name: 'home', value: 'DIR', description: 'home of the fleet; FLEET_HOME or ~/.fleet by default' },
  { name: 'help', short: 'h', description: 'show help' },
];

/** Only for commands that change something. */
export const KEY_FLAG = {
  name: 'key',
  value: 'KEY',
  description: 'name of this request: repeated with the same key, it is carried out once',
};

const SWITCHES: Readonly<Record<string, 'json' | 'help' | 'version'>> = {
  '--json': 'json',
  '--help': 'help',
  '-h': 'help',
  '--version': 'version',
  '-V': 'version',
};

/** Takes the flags in front of the command: `fleet --home DIR task list`. */
export function leadingGlobals(argv: readonly string[], cwd: string): { globals: Globals; rest: readonly string[] } {
  const found = { json: false, help: false, version: false };
  let home: string | undefined;
  let at = 0;
  for (let word = argv[at]; word?.startsWith('-'); word = argv[++at]) {
    const name = SWITCHES[word];
    if (name) found[name] = true;
    else if (word === '--home') home = argv[++at] ?? missing('--home');
    else if (word.startsWith('--home=')) home = word.slice('--home='.length);
    else throw unknownFlag(word, [...Object.keys(SWITCHES), '--home']);
  }
  if (home === '') missing('--home');
  return { globals: { ...found, ...(home !== undefined && { home: resolve(cwd, home) }) }, rest: argv.slice(at) };
}

function missing(flag: string): never {
  throw new Fault('invalid', `${flag} needs a value`);
}

export function unknownFlag(seen: string, known: readonly string[], help = 'fleet --help'): Fault {
  const flag = seen.split('=', 1)[0] ?? seen;
  const meant = nearest(flag, known);
  return new Fault('invalid', `unknown flag ${flag}`, { hint: meant ? `did you mean ${meant}?` : `see ${help}` });
}
