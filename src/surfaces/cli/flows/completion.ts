import { Fault } from '../../../domain/fault.ts';
import type { Command, CommandTable, CommandValue } from '../command.ts';
import { kebab } from '../kebab.ts';
import { firstWords, programVerbs } from '../parse/find-command.ts';
import { GLOBAL_FLAGS, KEY_FLAG } from '../parse/globals.ts';

const BASH = `_fleet() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(fleet __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _fleet fleet
`;

const ZSH = `#compdef fleet
_fleet() {
  local line; local -a found
  for line in "\${(@f)$(fleet __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  (( \${#found} )) && _describe fleet found || _files
}
compdef _fleet fleet
`;

const FISH = `function __fleet_complete
  set -l words (commandline -opc) (commandline -ct)
  fleet __complete $words[2..-1] 2>/dev/null
end
complete -c fleet -a '(__fleet_complete)'
`;

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

/** How to switch each on; shown by `fleet help completion`. */
export const COMPLETION_SETUP: readonly string[] = [
  'eval "$(fleet completion bash)"       in ~/.bashrc',
  'eval "$(fleet completion zsh)"        in ~/.zshrc, after compinit',
  'fleet completion fish | source        in ~/.config/fish/config.fish',
];

export function completionScript([shell = '', ...rest]: readonly string[]): string {
  const script = Object.hasOwn(SCRIPTS, shell) && rest.length === 0 ? SCRIPTS[shell] : undefined;
  if (script === undefined)
    throw new Fault('invalid', `completion: expected bash, zsh or fish, got ${JSON.stringify([shell, ...rest].join(' '))}`);
  return script;
}

/** Lines of `word TAB description` for the last of the words, which may be half typed or empty. */
export function candidates(words: readonly string[], table: CommandTable, programs: readonly string[]): string[] {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  return possible(before, current, table, programs).filter((line) => line.startsWith(current));
}

function possible(before: readonly string[], current: string, table: CommandTable, programs: readonly string[]): string[] {
  const [first] = before;
  if (first === undefined && current.startsWith('-')) return GLOBAL_FLAGS.map(flagLine);
  if (first === undefined) return firstWords(table, programs).map((word) => `${word}\t${summaryOf(word, table)}`);
  if (first === 'completion') return before.length === 1 ? Object.keys(SCRIPTS) : [];
  const path = first === 'help' ? before.slice(1) : before;
  const command = table.commands.find((candidate) => candidate.path.every((word, index) => path[index] === word));
  if (command) return first === 'help' ? [] : forCommand(command, before, current);
  if (path.length > 1) return [];
  if (path.length === 0) return firstWords(table, programs);
  const derived = table.commands
    .filter((candidate) => candidate.path.length === 2 && candidate.path[0] === path[0])
    .map(({ path: [, verb], summary }) => `${verb}\t${summary}`);
  return [...derived, ...programVerbs(programs, path[0] ?? '')];
}

function forCommand(command: Command, before: readonly string[], current: string): string[] {
  const flags = [...command.flags, ...(command.kind === 'command' ? [KEY_FLAG] : []), ...GLOBAL_FLAGS];
  const previous = command.flags.find(({ name, type }) => before.at(-1) === `--${name}` && type !== 'boolean');
  if (previous) return (previous.choices ?? []).map(kebab);
  return current.startsWith('-') ? flags.flatMap(flagLines) : [];
}

type FlagLike = Pick<CommandValue, 'name' | 'description'> & { readonly negatable?: boolean };
const flagLine = ({ name, description }: FlagLike): string => `--${name}\t${description}`;
const flagLines = (flag: FlagLike): string[] =>
  flag.negatable ? [flagLine(flag), flagLine({ ...flag, name: `no-${flag.name}` })] : [flagLine(flag)];

function summaryOf(word: string, table: CommandTable): string {
  const own = table.commands.find(({ path }) => path.length === 1 && path[0] === word);
  return (
    own?.summary ??
    table.commands
      .filter(({ path }) => path[0] === word)
      .map(({ path }) => path[1])
      .join(', ')
  );
}
