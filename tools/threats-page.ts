/** docs/reference/threats.md: threat, what stands against it, and the tests that try it. */

import type { Attack } from '../test/attack-rows.ts';
import { citedRequirements } from '../test/cited-requirements.ts';
import { DEFENCES } from '../test/defences.ts';
import { openRequirements } from '../test/open-requirements.ts';
import { requirements } from '../test/requirements.ts';
import { ATTACKS } from '../test/threats.ts';
import { page, table } from './reference.ts';

export function threatsPage(root: string): string {
  const cited = citedRequirements(root);
  const threats = requirements.filter(({ id }) => id in DEFENCES);
  return page(
    'Threats',
    'Who could want what, what stands against it, and the tests that try it. Made from `test/threats.ts`; a test that is named here exists, or the build fails.',
    [
      [
        '## Attacks that once worked',
        '',
        'Each is tried from end to end, as somebody would who is paid for it, and beside it honest work that must go on.',
        '',
        table(
          ['', 'the attacker wants', 'what stands against it', 'tests'],
          ATTACKS.map((attack) => [attack.id, attack.wants, attack.stands, proofsOf(attack)]),
        ),
      ].join('\n'),
      [
        '## Threats',
        '',
        table(
          ['', 'threat', 'what stands against it', 'tests'],
          threats.map(({ id, text }) => [id, text, DEFENCES[id] ?? '', filesOf(cited.get(id) ?? [], id)]),
        ),
      ].join('\n'),
    ],
  );
}

const proofsOf = ({ tests }: Attack): string =>
  tests.map(({ file, title }) => `[${title}](../../${file})`).join('; ') || 'none yet';

function filesOf(files: readonly string[], id: string): string {
  if (openRequirements.includes(id)) return 'open';
  return [...new Set(files)]
    .toSorted()
    .map((file) => `[${file.split('/').at(-1)?.replace(/[.].*/, '')}](../../${file})`)
    .join(', ');
}
