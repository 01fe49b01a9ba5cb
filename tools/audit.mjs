/**
 * `npm run audit`: tells whether the registry knows of a serious flaw in a package that users install, and fails then where CI is set: a flaw that
 * became known today stops a release, and not everybody who runs the tests. A registry that cannot be reached, or keeps no list of flaws, is said.
 */
import { root } from './paths.mjs';
import { run } from './run.mjs';

const impatience = ['--fetch-retries=0', '--fetch-timeout=20000'];
const { output } = await run('npm', ['audit', '--json', '--omit=dev', ...impatience], { cwd: root });
const answer = answerIn(output);
const counts = answer?.metadata?.vulnerabilities;
if (!counts) {
  process.stdout.write(`audit: not asked, the registry gave no answer: ${answer?.message ?? output.trim().split('\n').at(-1)}\n`);
} else {
  const serious = Object.values(answer.vulnerabilities ?? {}).filter(({ severity }) => ['high', 'critical'].includes(severity));
  for (const { name, severity, range } of serious)
    process.stdout.write(`audit: ${name} ${range} has a flaw that is ${severity}\n`);
  process.stdout.write(`audit: ${counts.total} known flaws, ${serious.length} of them serious\n`);
  process.exitCode = serious.length > 0 && process.env.CI ? 1 : 0;
}

/** npm prints warnings around its JSON. */
function answerIn(text) {
  try {
    return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  } catch {
    return undefined;
  }
}
