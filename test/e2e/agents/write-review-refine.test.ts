import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, type TestFunction } from 'vitest';
import { parseScenario } from '../../../src/simulate/scenario/parse-scenario.ts';
import { codex } from '../../clis/codex.ts';
import { had } from '../../clis/install.ts';
import { fullOnly, inFullRun } from '../../full-only.ts';
import { modelServer } from '../../support/model-server.ts';
import { onMain } from '../../support/work-house.ts';
import { claudeHouse } from './claude-house.ts';
import { commit, engines, write } from './claude-table.ts';

const found = inFullRun ? await had(codex) : { program: '' };
const [claude] = engines;
const missing =
  'missing' in found ? found.missing : claude?.programs.claude === '' && inFullRun ? 'Claude Code is not here' : undefined;
const long = (title: string, body: TestFunction): void =>
  missing === undefined ? fullOnly(title, body) : it.skip(`${title}; not run: ${missing}`, body);

/** Its user's own choice of a model: a review is given no arguments for its program. */
const configFor = (url: string): string =>
  [
    'model = "simulated"\nmodel_provider = "simulated"',
    `[model_providers.simulated]\nname = "simulated"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"`,
  ].join('\n');

describe('the real Claude Code and the real Codex', () => {
  long('write, review and refine: the model of each is told what the other did', async () => {
    await using house = await claudeHouse({
      claude: claude?.programs.claude ?? '',
      codex: 'program' in found ? found.program : '',
    });
    await using models = await modelServer();
    const roses = [write('poem.txt', 'roses\n'), commit, { say: 'a poem of roses' }];
    const violets = [
      { call: 'Bash', with: { command: 'echo violets > poem.txt && git commit -qam again' } },
      { say: 'a poem of violets' },
    ];
    const { id, stage } = await house.work([...roses, ...violets], '--integration', 'review');
    const first = await house.rest(id);
    expect(first.phase.block?.cause).toBe('review');
    const { base, tip } = first.work ?? {};

    const findings = { status: 'succeeded', summary: 'roses are worn out', open: ['another flower'], nextSteps: ['plant it'] };
    const played = models.play(
      parseScenario(`run git diff ${base}..${tip}\ncall submit_report ${JSON.stringify(findings)}\nsay looked at it`),
    );
    await writeFile(join(house.directory, 'codex home', 'config.toml'), configFor(played.url));
    const review = (await house.ok(['task', 'review', id, '--executor', 'codex', '--json'])).json<{ id: string }>().id;
    expect(await house.rest(review)).toMatchObject({ phase: { state: 'done' }, attempts: 1 });
    expect(played.problems).toEqual([]);
    const toldCodex = JSON.stringify(played.exchanges[0]?.body);
    for (const words of ['> a poem of roses', '> file: A poem.txt +1 -0', `git diff ${base}..${tip}`, `before-TASK.diff`, id])
      expect(toldCodex).toContain(words);
    // What its prompt tells it to run works where it is.
    expect(played.exchanges.at(-1)?.conversation.results[0]?.text).toContain('+roses');

    const before = stage.asked.length;
    await house.ok(['task', 'reject', id, 'do as the review says']);
    await house.sees(id, ({ phase, work }) => phase.state === 'blocked' && work?.tip !== tip);
    for (const words of ['> roses are worn out', '> open: another flower', '> next step: plant it', 'do as the review says'])
      expect(stage.asked[before]).toContain(words);
    await house.ok(['task', 'approve', id]);
    expect((await house.rest(id)).phase.state).toBe('done');
    expect(await onMain(house, 'poem.txt')).toBe('violets');
  });
});
