/**
 * The tools an agent may use, in names of no particular program: `Read`, `Grep`, `Glob`, `Write`, `Edit`, `Bash`, `WebFetch`,
 * `WebSearch`, and `Bash(git log *)` for commands that begin with `git log`. Fleet's own tools are always allowed.
 */
export const PRESETS = {
  full: ['Read', 'Write', 'Edit', 'Bash', 'Grep', 'Glob', 'WebFetch', 'WebSearch'],
  implement: ['Read', 'Write', 'Edit', 'Bash', 'Grep', 'Glob'],
  review: ['Read', 'Grep', 'Glob', 'Bash(git diff *)', 'Bash(git log *)'],
  test: ['Read', 'Edit', 'Bash(npm test *)', 'Bash(pytest *)', 'Bash(cargo test *)', 'Grep', 'Glob'],
  explore: ['Read', 'Grep', 'Glob', 'Bash(git *)', 'Bash(ls *)', 'Bash(find *)'],
  fix: ['Read', 'Write', 'Edit', 'Bash', 'Grep', 'Glob'],
} as const satisfies Record<string, readonly string[]>;

export type Preset = keyof typeof PRESETS;

/** The tools a task allows its agent; undefined is all. The kind decides only without a list or a preset. */
export function toolsOf(task: {
  readonly tools?: readonly string[] | undefined;
  readonly preset?: Preset | undefined;
  readonly kind: Preset;
}): readonly string[] | undefined {
  if (task.tools) return task.tools;
  const preset = task.preset ?? task.kind;
  return preset === 'full' ? undefined : PRESETS[preset];
}

/** Whether a tool is allowed in any form. */
export const hasTool = (tools: readonly string[] | undefined, name: string): boolean =>
  tools === undefined || tools.some((tool) => tool === name || tool.startsWith(`${name}(`));

/** Whether the tools can change files. */
export const mayWrite = (tools: readonly string[] | undefined): boolean => hasTool(tools, 'Write') || hasTool(tools, 'Edit');

/** Whether the agent may run every command. */
export const mayRunAll = (tools: readonly string[] | undefined): boolean => tools === undefined || tools.includes('Bash');

/**
 * Whether the agent may run this command. Where only some commands are allowed, it must be a single plain command: nothing
 * that a shell would expand, join or redirect, and nothing that makes a reading command write.
 */
export function mayRun(tools: readonly string[] | undefined, command: string): boolean {
  if (mayRunAll(tools)) return true;
  const words = plainWords(command);
  if (!words || words.length === 0 || makesChanges(words)) return false;
  return (tools ?? []).some((tool) => {
    const pattern = /^Bash\((.+)\)$/.exec(tool)?.[1]?.split(/\s+/);
    if (!pattern) return false;
    const open = pattern.at(-1) === '*';
    const begins = open ? pattern.slice(0, -1) : pattern;
    return (open || words.length === begins.length) && begins.every((word, index) => words[index] === word);
  });
}

const WORD = /\s*((?:'[^']*'|"[^"$`\\]*"|[\w@%+=:,./~^*?[\]-])+)(?=\s|$)/y;

/** The words of a command, if the command means the same with and without a shell. */
function plainWords(command: string): string[] | undefined {
  if (/[\n\r\0]/.test(command)) return undefined;
  const text = command.trim();
  const words: string[] = [];
  WORD.lastIndex = 0;
  while (WORD.lastIndex < text.length) {
    const found = WORD.exec(text);
    if (!found) return undefined;
    words.push(
      (found[1] ?? '').replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
    );
  }
  return words;
}

const GIT_READS = new Set(
  'annotate blame cat-file check-ignore cherry count-objects describe diff diff-files diff-index diff-tree for-each-ref grep log ls-files ls-tree merge-base name-rev rev-list rev-parse shortlog show show-ref status version whatchanged'.split(
    ' ',
  ),
);
/** Git options that write a file or start a program. */
const GIT_WRITES =
  /^(?:--output(?:=|$)|-o$|--ext-diff$|--textconv$|--open-files-in-pager|-O|--exec|--upload-pack|--receive-pack)/;
const FIND_WRITES = /^-(?:delete|exec|execdir|ok|okdir|fprint0?|fprintf|fls)$/;

/** Whether options make a reading command write. */
function makesChanges([program = '', ...rest]: readonly string[]): boolean {
  if (program === 'find') return rest.some((word) => FIND_WRITES.test(word));
  if (program !== 'git') return false;
  const [subcommand = ''] = rest;
  return !GIT_READS.has(subcommand) || rest.some((word) => GIT_WRITES.test(word));
}
