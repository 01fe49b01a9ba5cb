import { parts } from 'virtual:overview';
import { overview } from '../surfaces/cli/help/overview.ts';
import { pageFor } from '../surfaces/cli/help/page.ts';
import { processIo } from '../surfaces/cli/process-io.ts';
import { VERSION } from './version.ts';

const QUICK: Readonly<Record<string, 'help' | 'version'>> = {
  '--help': 'help',
  '-h': 'help',
  help: 'help',
  '--version': 'version',
  '-V': 'version',
};

/**
 * Help and version are answered from what was computed when the program was built: reading all commands, as the others do,
 * takes longer than starting Node. Whatever says more than one word goes the long way.
 */
const argv = process.argv.slice(2);
const [word = ''] = argv;
const quick = argv.length === 1 && Object.hasOwn(QUICK, word) ? QUICK[word] : undefined;
process.exitCode = quick === undefined ? await (await import('./commands.ts')).commandsOf(argv) : await answer(quick);

async function answer(asked: 'help' | 'version'): Promise<number> {
  const io = processIo();
  try {
    await io.out(asked === 'version' ? `${VERSION}\n` : overview(parts, VERSION, pageFor(io)));
    return 0;
  } catch (error) {
    return (await import('../surfaces/cli/answer.ts')).writeError(io, error, false);
  }
}
