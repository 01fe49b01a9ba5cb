import { expect } from 'vitest';
import { everywhere, levelHouse } from './level-house.ts';

const REPORT = JSON.stringify({ status: 'succeeded', summary: 'looked', done: ['looked'], nextSteps: [] });
const BAD = ['rm -f README', 'echo x > pwned.txt', 'git log --output=pwned2.txt', 'git commit --allow-empty -m pwned'];

everywhere(
  'by a preset reads the history and reports, and writes, deletes and commits nothing [EXEC-06] [RUN-16]',
  async (agent, level) => {
    const deeds = ['git log --oneline', ...BAD].map((command) => `run ${command}`);
    await using house = await levelHouse(agent, level, [...deeds, `call submit_report ${REPORT}`, 'say Looked.'].join('\n'));
    await house.wake();
    const words = ['--preset', 'review', '--no-expects-changes', '--integration', 'review'];
    const id = await house.task('Look at it.', ...words);
    const [task] = await house.rested([id], 200);
    const tried = house.played.exchanges.at(-1)?.conversation.results ?? [];
    expect(tried[0]?.text).toMatch(/[0-9a-f]{7}/);
    expect(task?.work?.changes?.files ?? 0).toBe(0);
    // Everything in its workspace when the run ended.
    const { kept } = task?.work ?? {};
    expect(await house.says('ls-tree', '-r', '--name-only', kept?.ref ?? 'nothing was kept')).toBe('README');
    expect(await house.says('show', `${kept?.ref}:README`)).toBe('hello');
    expect(await house.says('log', '--format=%s', kept?.ref ?? '')).not.toContain('pwned');
    const [run] = await house.agentRuns(id);
    // A no ends the turn of these: they come to no report.
    if (agent.endsAtNo) expect(run?.phase.outcome).toBe('refused');
    else expect(await house.reports(id)).toMatchObject([{ channel: 'mcp', summary: 'looked' }]);
    const offered = house.played.exchanges[0]?.conversation.tools.map(({ name }) => name) ?? [];
    expect(offered.filter((tool) => /^(write|edit|write_file|replace|create|apply_patch)$/i.test(tool))).toEqual([]);
  },
  { needs: ['is restricted'] },
);
