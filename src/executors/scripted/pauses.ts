import { setTimeout as sleep } from 'node:timers/promises';
import type { ScriptedPause } from './act.ts';
import { print, say } from './output.ts';
import type { ScenarioContext } from './scenario-context.ts';

const longestTimerMs = 2 ** 31 - 1;

export async function pause(act: ScriptedPause, stage: ScenarioContext): Promise<void> {
  switch (act.do) {
    case 'sleep':
      return sleep(Math.min(act.ms, longestTimerMs));
    case 'hang':
      return new Promise(() => setInterval(() => {}, longestTimerMs));
    case 'linger':
      return stage.input?.silence();
    case 'listen':
      return stage.input?.messages(act.messages);
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

async function ask({ kind, text, options }: Extract<ScriptedPause, { do: 'ask' }>, stage: ScenarioContext): Promise<void> {
  stage.asked += 1;
  const request = `${stage.run}.${stage.asked}`;
  const answer = stage.input?.answerTo(request);
  print({ type: 'asked', request, kind, text, options });
  say(`answer: ${await answer}`);
}
