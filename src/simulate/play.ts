import type { AnswerPart, AnswerUsage, ModelAnswer } from './answer.ts';
import { isLookUp, type ModelConversation } from './conversation.ts';
import { callFor, filledText, isOffered, ScenarioFault } from './deeds.ts';
import type { AnswerPlan, ModelScenario, PartPlan } from './scenario/scenario.ts';

const USAGE: AnswerUsage = { input: 1_000, output: 50, cached: 0 };

/**
 * The plan of the next answer. It follows from the conversation, not from a count of requests, so that a repeated or side request
 * does not put the scenario out of step.
 */
export function planFor(scenario: ModelScenario, conversation: ModelConversation, source: string): AnswerPlan {
  const { turn, answers } = conversation;
  const played = scenario.turns[Math.min(turn, scenario.turns.length - 1)];
  if (!played) throw new Error('a scenario without turns');
  const possible = ({ parts }: AnswerPlan) => parts.every((part) => isPossible(part, conversation, source));
  // An answer skipped for this agent is skipped in each of its requests, so that the count of answers stays right.
  const plans = played.answers.filter((plan) => possible(plan));
  const once =
    played.repeatFrom === undefined ? plans.length - 1 : played.answers.slice(0, played.repeatFrom).filter(possible).length;
  const plan = plans[answers < once ? answers : once + ((answers - once) % Math.max(1, plans.length - once))];
  if (!plan) throw new ScenarioFault('the agent offers none of the tools that the scenario needs');
  return plan;
}

const isPossible = (part: PartPlan, conversation: ModelConversation, source: string): boolean =>
  part.do !== 'call' || !part.ifOffered || isOffered(part.tool, conversation, source);

/** The answer, with the tools of the agent. Throws ScenarioFault if the agent lacks a tool. */
export function answerFor(plan: AnswerPlan, conversation: ModelConversation, source: string): ModelAnswer {
  const parts = plan.parts.map((part): AnswerPart => {
    if (part.do === 'say') return { kind: 'text', text: filledText(part.text, conversation) };
    if (part.do === 'think') return { kind: 'thought', text: filledText(part.text, conversation) };
    return callFor(part, conversation, source);
  });
  const lookUps = parts.filter((part) => part.kind === 'call' && isLookUp(part.tool.name));
  return {
    // While a tool is looked up nothing else is sent, because it would be sent again afterwards.
    parts: lookUps.length > 0 ? lookUps : parts,
    stop: plan.stop,
    usage: plan.usage ?? USAGE,
    number: conversation.answers,
  };
}
