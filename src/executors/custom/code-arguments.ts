import { refuse, type TomlPlace } from './toml-values.ts';

/* A prompt is one argument of a program. If that argument were code, a prompt could run commands. */

/** Programs that can run an argument as code. */
const INTERPRETERS =
  /^(?:(?:ba|da|z|k|mk|a|tc|c|pw)?sh|fish|busybox|powershell|su|script|python[\d.]*|pypy3?|node|deno|bun|tsx|perl|ruby|php|lua|Rscript|osascript)$/;
/** Options before code: `-c`, `-lc`, `-e`, `-pe`, `-r`, `--eval`. */
const CODE_FOLLOWS = /^(?:-[A-Za-z]*[ceEpr]|--(?:eval|exec|print|command))$/;
/** Programs that pass all their arguments to a shell, here or on another host. */
const JOINED = /^(?:ssh|eval|watch)$/;
const OF_A_TASK = /(?<!\{)\{(?:prompt|model)\}(?!\})/;

const nameOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1);

/** Refuses text of a task inside code. After the code it is an argument like any other, and allowed. */
export function refuseCode(command: readonly string[], place: TomlPlace): void {
  command.forEach((word, at) => {
    if (!OF_A_TASK.test(word)) return;
    const before = command.slice(0, at);
    const isCode = CODE_FOLLOWS.test(before.at(-1) ?? '') && before.some((one) => INTERPRETERS.test(nameOf(one)));
    if (!isCode && !before.some((one) => JOINED.test(nameOf(one)))) return;
    const other = '["sh", "-c", "my-agent \\"$1\\"", "my-agent", "{prompt}"]';
    refuse(
      { ...place, key: `${place.key}[${at}]` },
      word,
      `what a task says as an argument of its own, because this is run as code: ${other}`,
    );
  });
}
