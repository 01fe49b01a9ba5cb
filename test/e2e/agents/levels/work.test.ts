import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { commitIn, onMain } from '../../../support/work-house.ts';
import { everywhere, levelHouse, port } from './level-house.ts';

const REPORT = JSON.stringify({ status: 'succeeded', summary: 'wrote a', done: ['a'], nextSteps: [] });

/** Says on two lines whether it came to a port: straight, and by the proxy it was told of. */
const REACH = `
const { connect } = require('node:net');
const port = Number(process.argv[2]);
const proxy = process.env.HTTPS_PROXY && new URL(process.env.HTTPS_PROXY);
const straight = connect(port, '127.0.0.1').on('connect', () => say('straight: yes')).on('error', () => say('straight: no'));
function say(line) {
  straight.destroy();
  console.log(line);
  if (!proxy) return console.log('proxy: none');
  const way = connect(Number(proxy.port), proxy.hostname);
  way.write('CONNECT 127.0.0.1:' + port + ' HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n');
  way.once('data', (text) => (console.log('proxy: ' + String(text).split(' ')[1]), way.destroy()));
  way.on('error', () => undefined);
}
`;

everywhere('works, commits in its own words, reports, and all of it lands [RUN-16] [EXEC-03] [EXEC-07]', async (agent, level) => {
  using canary = await port();
  const isBoxed = level.trust === 'sandboxed';
  const scenario = [
    'run echo hello > a.txt; git add a.txt; git commit -qm "add a, in my own words"',
    'run sh look.sh > seen.txt 2>&1; git add -A; git commit -qm "and say what is seen"',
    'run echo left > left.txt',
    `call submit_report ${REPORT}`,
    'say It is written.',
  ].join('\n');
  await using house = await levelHouse(agent, level, scenario);
  const secret = join(house.env['HOME'] ?? '', '.ssh', 'id_canary');
  await mkdir(join(secret, '..'));
  await writeFile(secret, 'heron of the home\n');
  await house.give(join(secret, '..'));
  const look = `cat '${secret}'; touch '${secret}.escaped'; id -u; cat .ready; node reach.cjs ${canary.number}\n`;
  await commitIn(house, { 'reach.cjs': REACH, 'look.sh': look, '.gitignore': '.ready\n' });
  const canSee = isBoxed ? '!' : '';
  const setup = `${canSee} test -e '${secret}' && echo ready > .ready`;
  const reach = `${canSee} node reach.cjs ${canary.number} | grep -q yes`;
  const verify = `${canSee} test -e '${secret}' && test -e .ready && grep -q hello a.txt && ${reach}`;
  await house.ok(['project', 'set', 'shop', '--setup', setup, '--verify', verify]);
  await house.wake();
  const id = await house.task('Write a.txt.');
  const [task] = await house.rested([id], 200);
  expect(house.played.problems).toEqual([]);
  expect(task).toMatchObject({ phase: { state: 'done' }, attempts: 1, gate: { green: true }, trust: level.trust });
  expect((await house.agentRuns(id)).map(({ phase }) => phase.outcome)).toEqual(['succeeded']);
  // Its own commits and its own words, and what it left lying.
  expect(await onMain(house, 'a.txt')).toBe('hello');
  expect(await onMain(house, 'left.txt')).toBe('left');
  const subjects = (await house.says('log', '--format=%s', 'main')).split('\n');
  expect(subjects).toEqual(expect.arrayContaining(['add a, in my own words', 'and say what is seen']));
  expect(await house.reports(id)).toMatchObject([{ channel: 'mcp', summary: 'wrote a' }]);
  // What it could see, be and reach.
  const lines = (await onMain(house, 'seen.txt')).split('\n');
  expect(lines).toContain(String(level.agentUid));
  expect(lines).toContain('ready');
  if (isBoxed) {
    expect(lines.join('\n')).toContain('No such file');
    expect(lines.slice(-2)).toEqual(['straight: no', 'proxy: 403']);
    expect(canary.seen()).toBe(0);
  } else {
    expect(lines).toContain('heron of the home');
    expect(lines).toContain('straight: yes');
  }
  expect(existsSync(`${secret}.escaped`)).toBe(!isBoxed);
  expect(await house.processes()).toBe(0);
});
