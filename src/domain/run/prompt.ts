import type { Task } from '../task/task.ts';

export interface Briefing {
  readonly task: Pick<Task, 'id' | 'title' | 'acceptance' | 'messages' | 'work' | 'expectsChanges'>;
  readonly prompt: string;
  readonly attempt: number;
  readonly notesDirectory: string;
  readonly resultFile: string;
  /** How the run before this one ended, when this one goes on with its work. */
  readonly before?: { readonly outcome: string; readonly detail: string } | undefined;
}

/** What an agent is told, whichever program it is. The wish itself comes first and is never changed. */
export function promptFor({ task, prompt, attempt, notesDirectory, resultFile, before }: Briefing): string {
  const parts = [
    prompt,
    task.acceptance ? `It is done when:\n${task.acceptance}` : '',
    before && attempt > 1
      ? `You have worked on this before (attempt ${attempt}). That run ended as ${before.outcome}: ${before.detail}\nLook at what is there already and go on from it.`
      : '',
    messagesIn(task),
    [
      `Task ${task.id}: ${task.title}`,
      ...branchIn(task),
      `Notes that outlive you are in ${notesDirectory}: read PLAN_AND_STATUS.md and KNOWLEDGE.md first and keep them up to date.`,
      `When you have finished, write a JSON object with "status" and "summary" to ${resultFile}.`,
    ].join('\n'),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function branchIn({ work, expectsChanges }: Briefing['task']): string[] {
  if (!work) return [];
  const where = `You are in a workspace of your own, on branch ${work.branch}, which began at ${work.base.slice(0, 12)}.`;
  return [
    expectsChanges
      ? `${where} Commit your work there; do not switch branches and do not push.`
      : `${where} Change nothing in it.`,
  ];
}

/** The line before what an agent was told since it last worked. */
export const TOLD = 'You were told meanwhile:';

/** Messages nobody could deliver while an agent ran are part of its next briefing. */
function messagesIn({ messages }: Briefing['task']): string {
  const waiting = messages.filter(({ state }) => state === 'waiting');
  return waiting.length === 0 ? '' : [TOLD, ...waiting.map(({ by, text }) => `- ${by}: ${text}`)].join('\n');
}
