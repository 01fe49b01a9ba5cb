import { setTimeout as sleep } from 'node:timers/promises';
import type { Pause } from './act.ts';
import type { Stage } from './stage.ts';
import { print, say } from './voice.ts';

const longestTimerMs = 2 ** 31 - 1;

export async function pause(act: Pause, stage: Stage): Promise<void> {
  switch (act.do) {
    case 'sleep':
      return sleep(Math.min(act.ms, longestTimerMs));
    case 'hang':
      return new Promise(() => setInterval(() => {}, longestTimerMs));
    case 'linger':
      return stage.ear?.silence();
    case 'listen':
      return stage.ear?.messages(act.messages);
    case 'ask':
      return ask(act, stage);
    case 'crash':
      process.stderr.write(`scripted: crashed with ${act.code}, as the scenario says\n`);
      return process.exit(act.code);
    case 'exit':
      return process.exit(act.code);
    case 'signal':
      process.kill(process.pid, `SIG${act.signal}`);
      return sleep(1_000); // a signal takes effect a moment later
    case 'ignore':
      process.on(`SIG${act.signal}`, () => {});
      return;
    case 'end':
      return;
  }
}

async function ask({ kind, text, options }: Extract<Pause, { do: 'ask' }>, stage: Stage): Promise<void> {
  stage.asked += 1;
  const request = `${stage.run}.${stage.asked}`;
  const answer = stage.ear?.answerTo(request);
  print({ type: 'asked', request, kind, text, options });
  say(`answer: ${await answer}`);
}
