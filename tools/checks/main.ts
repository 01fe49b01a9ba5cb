/** `tsx tools/checks/main.ts NAME…`: runs own checks and prints one line of JSON for each. Started by tools/check.mjs. */
import { checkBans } from './bans.ts';
import { checkDecisions } from './decisions.ts';
import { checkDocs } from './docs.ts';
import type { Verdict } from './finding.ts';
import { checkGitCalls } from './git-calls.ts';
import { checkLicences } from './licences.ts';
import { checkLockFile } from './lock-file.ts';
import { checkNames } from './names.ts';
import { checkReading } from './reading.ts';
import { checkReadmes } from './readmes.ts';
import { checkRooms } from './rooms.ts';
import { checkSizes } from './sizes.ts';
import { checkTests } from './tests.ts';
import { checkText } from './text.ts';

const checks: Readonly<Record<string, (root: string) => Promise<Verdict>>> = {
  rooms: checkRooms,
  docs: checkDocs,
  sizes: (root) => checkSizes(root),
  bans: checkBans,
  names: checkNames,
  reading: checkReading,
  'git calls': checkGitCalls,
  readmes: checkReadmes,
  tests: checkTests,
  text: (root) => checkText(root),
  licences: checkLicences,
  'lock file': checkLockFile,
  decisions: checkDecisions,
};

const root = process.cwd();
for (const name of process.argv.slice(2)) {
  const started = performance.now();
  const verdict = await judge(name);
  console.log(JSON.stringify({ name, ms: performance.now() - started, ...verdict }));
}

async function judge(name: string): Promise<Verdict> {
  try {
    const check = checks[name];
    if (!check) throw new Error(`no check is called ${name}`);
    return await check(root);
  } catch (error) {
    return { violations: [`the check itself broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`] };
  }
}
