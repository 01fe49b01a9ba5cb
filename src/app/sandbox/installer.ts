import { findProgram } from '../../platform/ask-version.ts';

const INSTALLERS: readonly (readonly [program: string, command: string])[] = [
  ['brew', 'brew install'],
  ['apt-get', 'sudo apt-get install'],
  ['dnf', 'sudo dnf install'],
  ['pacman', 'sudo pacman -S'],
  ['apk', 'sudo apk add'],
  ['zypper', 'sudo zypper install'],
];

/** The command that installs packages of this system. */
export async function installer(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  for (const [program, command] of INSTALLERS) if ((await findProgram(program, env)) !== undefined) return command;
  return 'install';
}
