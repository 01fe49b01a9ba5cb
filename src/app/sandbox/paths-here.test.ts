import { expect, it } from 'vitest';
import { belongings } from './paths-here.ts';

it('a program is shown with the packages it is one of and the programs beside them, and with nothing else of that place [T11]', () => {
  expect(belongings('/usr/bin/git')).toEqual(['/usr/bin/git']);
  expect(belongings('/home/you/lib/node_modules/@openai/codex/bin/codex.js')).toEqual([
    '/home/you/lib/node_modules',
    '/home/you/bin',
  ]);
  expect(belongings('/opt/app/node_modules/.bin/agent')).toEqual(['/opt/app/node_modules']);
});
