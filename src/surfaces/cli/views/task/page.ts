import type { TaskView } from '../../../../contract/shapes.ts';
import { countedAttempts } from '../../../../domain/task/attempts.ts';
import { TRUST } from '../../../../domain/work/trust-table.ts';
import { ago, elapsedSince } from '../../terminal/ages.ts';
import { pairs } from '../../terminal/columns.ts';
import { plain, plainLine } from '../../terminal/plain.ts';
import { indented, wrap } from '../../terminal/wrap.ts';
import { contextText, dollarsText, quotaText, tokensText } from '../cost/cost.ts';
import { counted, homely, phasePaint, phaseSign, shortId, type ViewStyle } from '../style.ts';
import { provingText, shortCommit } from '../work/changes.ts';
import { workFacts } from '../work/facts.ts';
import { nextCommands } from './next-commands.ts';

/** Everything about one task, laid out for reading. */
export function taskPage(task: TaskView, look: ViewStyle): string {
  const { paint } = look;
  const { state } = task.phase;
  const colour = phasePaint(state, paint);
  const heading = `${colour(phaseSign(state))} ${paint.bold(plainLine(task.title))}\n`;
  const origin = paint.dim(
    `  ${plainLine(task.id)} · created ${ago(task.createdAt, look.nowMs)} by ${plainLine(task.createdBy)}\n`,
  );
  return [
    heading + origin,
    pairs(facts(task, look), { width: look.width, indent: '  ', paint: paint.dim }),
    longText('Prompt', task.prompt, look) + cutNote(task),
    task.acceptance === undefined ? '' : longText('Done when', task.acceptance, look),
    `  ${paint.dim('Next')}\n${pairs(nextCommands(task), { width: look.width, indent: '    ', paint: paint.cyan })}`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function facts(task: TaskView, look: ViewStyle): (readonly [string, string])[] {
  const rows: (readonly [string, string | undefined])[] = [
    ['Phase', phaseText(task, look)],
    ['Trouble', troubleText(task, look)],
    ['Where', whereText(task, look)],
    ...workFacts(task, look),
    ['Executor', executorText(task)],
    ['Trust', trustText(task)],
    ['Warning', task.warnings === undefined ? undefined : task.warnings.map(plainLine).join('; ')],
    ['Kind', `${task.kind}, priority ${task.priority}${task.expectsChanges ? '' : ', no change expected'}`],
    ['After', task.dependsOn.length > 0 ? task.dependsOn.map(shortId).join(', ') : undefined],
    ['Forked from', forkText(task)],
    ['Part of', task.parentId === undefined ? undefined : shortId(task.parentId)],
    [
      'For',
      [task.assignee, task.team && `team ${task.team}`]
        .filter(Boolean)
        .map((name) => plainLine(String(name)))
        .join(', ') || undefined,
    ],
    ['Tags', task.tags.length > 0 ? task.tags.map(plainLine).join(', ') : undefined],
    ['Cost', costText(task)],
    ['Window', task.now?.context && contextText(task.now.context)],
    ['Quota', task.now?.quota && quotaText(task.now.quota, look.nowMs)],
    ['Limits', limitsText(task)],
    ['Not before', task.notBefore],
  ];
  return rows.filter((row): row is readonly [string, string] => row[1] !== undefined);
}

/** What the machine refuses now; it goes on by itself once that is over. */
const troubleText = ({ trouble }: TaskView, { paint, nowMs }: ViewStyle): string | undefined =>
  trouble &&
  `${paint.yellow(plainLine(trouble.what))}: tried again and again since ${ago(trouble.since, nowMs)}, and goes on by itself once it is over`;

function forkText({ forkedFrom }: TaskView): string | undefined {
  if (!forkedFrom) return undefined;
  const { taskId, runId, commit } = forkedFrom;
  const work = commit === undefined ? '' : `, with its work as of ${shortCommit(commit)}`;
  return `${shortId(taskId)}, after what run ${shortId(runId)} had said${work}`;
}

/** Where it stands; for a blocked task, who must do what. */
export function phaseText(task: TaskView, { paint, nowMs }: Pick<ViewStyle, 'paint' | 'nowMs'>): string {
  const { phase, cancelAsked, maxAttempts } = task;
  const colour = phasePaint(phase.state, paint);
  const stopping = cancelAsked ? `, asked to stop by ${plainLine(cancelAsked.by)} ${ago(cancelAsked.at, nowMs)}` : '';
  switch (phase.state) {
    case 'draft':
    case 'queued':
      return `${colour(phase.state)} for ${elapsedSince(phase.since, nowMs)}${task.heldUp === undefined ? '' : `: ${plainLine(task.heldUp)}`}`;
    case 'waiting':
      return `${colour('waiting')} for ${waitedFor(phase, nowMs)}`;
    case 'verifying':
    case 'merging': {
      const doing = provingText(task);
      return `${colour(phase.state)} for ${elapsedSince(phase.since, nowMs)}${doing === undefined ? '' : `: ${doing}`}${stopping}`;
    }
    case 'running': {
      const who = phase.holder.kind === 'run' ? `run ${shortId(phase.holder.runId)}` : plainLine(phase.holder.agent);
      return `${colour(phase.state)} for ${elapsedSince(phase.since, nowMs)} by ${who}, attempt ${countedAttempts(task)} of ${maxAttempts}${stopping}`;
    }
    case 'blocked':
      return `${colour('blocked')} ${ago(phase.since, nowMs)}, waiting for ${plainLine(phase.block.who)}: ${plainLine(phase.block.what)}`;
    case 'failed':
      return `${colour('failed')} ${ago(phase.at, nowMs)}: ${plainLine(phase.reason)}`;
    case 'done':
    case 'canceled':
      return `${colour(phase.state)} ${ago(phase.at, nowMs)}`;
  }
}

function waitedFor({ on, until }: Extract<TaskView['phase'], { state: 'waiting' }>, nowMs: number): string {
  const parts = [
    on.length > 0 ? on.map(shortId).join(', ') : undefined,
    until === undefined ? undefined : `its time, ${ago(until, nowMs)}`,
  ];
  return parts.filter((part) => part !== undefined).join(' and ') || 'its turn';
}

/** Where the work is done and where it goes. */
export function whereText(task: TaskView, look: Pick<ViewStyle, 'userHome'>): string {
  const inPlace = task.projectId === undefined || task.isolation === 'in_place';
  const place = task.project === undefined ? homely(task.directory ?? '–', look) : `project ${plainLine(task.project)}`;
  if (inPlace) return `${place}, in place: no branch, no merge`;
  const from = task.baseRef === undefined ? '' : `, from ${plainLine(task.baseRef)}`;
  const onto = task.targetBranch === undefined ? '' : `, lands on ${plainLine(task.targetBranch)}`;
  return `${place}, own branch${from}${onto}${task.integration === undefined ? '' : ` (${task.integration})`}`;
}

function executorText({ executors, executorAt = 0, failover, model, effort, preset, effective }: TaskView): string {
  const moved = executorAt > 0 && `now ${plainLine(executors[executorAt] ?? '')}, because the first was paused`;
  const details = [
    moved,
    failover && `fail-over ${failover}`,
    modelText(model, effective),
    effortText(effort, effective),
    preset && `tools for ${preset}`,
  ];
  return [executorName(executors, effective), ...details.filter(Boolean)].join(', ');
}

/** In the words of the table that SECURITY.md has. */
function trustText({ trust }: TaskView): string | undefined {
  if (trust === undefined) return undefined;
  const { name, summary } = TRUST[trust];
  return `${name}: ${summary}`;
}

function executorName(executors: readonly string[], effective: TaskView['effective']): string {
  if (executors.length > 0) return executors.map(plainLine).join(', then ');
  return effective ? `${plainLine(effective.executor)} (by ${plainLine(effective.executorFrom)})` : 'the default one';
}

function modelText(model: string | undefined, effective: TaskView['effective']): string | undefined {
  if (model !== undefined) return `model ${plainLine(model)}`;
  if (!effective) return undefined;
  const { model: chosen, modelFrom = '' } = effective;
  return chosen === undefined ? "the program's own model" : `model ${plainLine(chosen)} (by ${plainLine(modelFrom)})`;
}

function effortText(effort: TaskView['effort'], effective: TaskView['effective']): string | undefined {
  if (effort !== undefined) return `effort ${effort}`;
  return effective?.effort && `effort ${effective.effort} (by ${plainLine(effective.effortFrom ?? '')})`;
}

const costText = ({ usage, turns }: TaskView): string | undefined =>
  usage && `${dollarsText(usage)} API-equivalent, ${tokensText(usage)}, ${counted(turns, 'turn')}`;

function limitsText({ maxAttempts, maxTurns, maxBudgetUsd, maxTokens, timeoutSeconds }: TaskView): string {
  const parts = [
    `${maxAttempts} attempts`,
    maxTurns && `${maxTurns} turns`,
    maxBudgetUsd && `$${maxBudgetUsd}`,
    maxTokens && `${maxTokens} tokens`,
    timeoutSeconds && `${timeoutSeconds} s`,
  ];
  return parts.filter(Boolean).join(', ');
}

const readable = 96;

function longText(name: string, text: string, { paint, width }: ViewStyle): string {
  const room = Number.isFinite(width) ? Math.min(width, readable) - 4 : Infinity;
  return `  ${paint.dim(name)}\n${indented(wrap(plain(text).trimEnd(), Math.max(20, room)), '    ')}\n`;
}

const cutNote = ({ promptIsWhole, promptBytes }: TaskView): string =>
  promptIsWhole ? '' : `    … ${promptBytes} bytes in all\n`;
