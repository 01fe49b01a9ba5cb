import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemClock } from '../../platform/clock.ts';
import type { AgentEvent } from '../executor.ts';
import type { ScriptedDeed } from './act.ts';
import { binary, flood, longLine, print, say } from './output.ts';
import type { ScenarioContext } from './scenario-context.ts';

export async function doDeed(deed: ScriptedDeed, stage: ScenarioContext): Promise<void> {
  switch (deed.do) {
    case 'say':
      return speak(deed.text, stage);
    case 'think':
      return print({ type: 'thought', text: deed.text });
    case 'edit':
    case 'append':
      return asTool(deed.do, deed.file, stage, () => write(deed));
    case 'run': {
      const { runProgram } = await programs();
      return asTool('run', [deed.command, ...deed.args].join(' '), stage, () => runProgram(deed.command, deed.args));
    }
    case 'commit': {
      const { commitAll } = await programs();
      return asTool('commit', deed.message, stage, () => say(commitAll(deed.message)));
    }
    case 'daemonise':
      return say(`daemon ${await (await programs()).daemonise(deed.ms)}`);
    case 'report':
      return report(deed.report, stage);
    case 'recall':
      return recall(stage);
    case 'mark':
      return appendFileSync(deed.file, `${stage.run} ${process.pid} ${stage.attempt}\n`);
    case 'spend':
    case 'context':
    case 'quota':
    case 'limited':
      return print(measure(deed));
    case 'flood':
      return flood(deed.bytes);
    case 'line':
      return longLine(deed.bytes);
    case 'binary':
      return binary(deed.bytes);
  }
}

function speak(text: string, stage: ScenarioContext): void {
  stage.lastSaid = text;
  stage.conversation.add(text);
  say(text);
}

function recall({ conversation: { before } }: ScenarioContext): void {
  if (before.length === 0) say('I remember nothing');
  for (const text of before) say(`I remember: ${text}`);
}

/** Loaded when first needed, because most scripted agents start no program. */
const programs = () => import('./programs.ts');

function asTool(name: string, detail: string, stage: ScenarioContext, work: () => void): void {
  stage.tools += 1;
  const id = `${name}-${stage.tools}`;
  print({ type: 'tool', id, name, detail: detail.slice(0, 200) });
  let ok = false;
  try {
    work();
    ok = true;
  } finally {
    print({ type: 'tool-done', id, ok });
  }
}

function write(deed: Extract<ScriptedDeed, { do: 'edit' | 'append' }>): void {
  mkdirSync(dirname(deed.file), { recursive: true });
  writeFileSync(deed.file, deed.text, { flag: deed.do === 'append' ? 'a' : 'w' });
}

/** Writes the report file by rename, because a reader may look at any time. */
function report(value: unknown, stage: ScenarioContext): void {
  stage.report = value;
  if (stage.resultFile !== undefined) {
    writeFileSync(`${stage.resultFile}.tmp`, `${JSON.stringify(value)}\n`);
    renameSync(`${stage.resultFile}.tmp`, stage.resultFile);
  }
  print({ type: 'reported', report: value });
}

/** The event of a step about usage, window or quota. */
function measure(deed: Extract<ScriptedDeed, { do: 'spend' | 'context' | 'quota' | 'limited' }>): AgentEvent {
  switch (deed.do) {
    case 'spend': {
      const { do: _, input: inputTokens, output: outputTokens, ...more } = deed;
      return { type: 'spent', inputTokens, outputTokens, ...more };
    }
    case 'context': {
      const { do: _, ...window } = deed;
      return { type: 'context', ...window };
    }
    case 'quota': {
      const { do: _, seconds, ...share } = deed;
      return { type: 'quota', ...share, ...(seconds === undefined ? {} : { resets: inSeconds(seconds) }) };
    }
    case 'limited': {
      const { seconds, why } = deed;
      return {
        type: 'limited',
        ...(seconds === undefined ? {} : { until: inSeconds(seconds) }),
        ...(why === undefined ? {} : { why }),
      };
    }
  }
}

const inSeconds = (seconds: number): string => new Date(systemClock.now() + seconds * 1000).toISOString();
