import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { LIMITS } from '../domain/limits.ts';
import type { Clock } from '../platform/clock.ts';
import type { ModelAnswer } from './answer.ts';
import type { ModelConversation } from './conversation.ts';
import { ScenarioFault } from './deeds.ts';
import { sendEvents, sendJson, sendWhole } from './deliver.ts';
import type { Ledger, RunRecord } from './ledger.ts';
import { answerFor, planFor } from './play.ts';
import type { AnswerDeps, PathFacts, Protocol } from './protocol.ts';
import { anthropicMessages } from './protocols/anthropic-messages.ts';
import { gemini } from './protocols/gemini.ts';
import { openaiChat } from './protocols/openai-chat.ts';
import { openaiResponses } from './protocols/openai-responses.ts';
import { ACCIDENTS, type Accident, MESSAGES, type ProviderRefusal, type RefusalFacts } from './provider-faults.ts';
import { sampleOf } from './sample.ts';
import type { AnswerPlan, FaultPlan, ModelScenario } from './scenario/scenario.ts';

const PROTOCOLS: readonly Protocol[] = [anthropicMessages, openaiResponses, openaiChat, gemini];

/** Side requests that offer tools: Qwen asks for memories. */
const BESIDE = /You are now acting as the managed memory extraction subagent/;

export interface ReceiveDeps {
  readonly scenarios: ReadonlyMap<string, ModelScenario>;
  readonly ledger: Ledger;
  readonly clock: Clock;
  unique(): string;
}

/** One parsed request for an answer. */
interface Call {
  readonly response: ServerResponse;
  readonly protocol: Protocol;
  readonly asking: PathFacts;
  readonly body: unknown;
  readonly source: string;
  readonly conversation: ModelConversation;
  readonly page: RunRecord;
  readonly run: string;
  readonly model: string;
}

/** Answers one request, of an agent or of an observer. Never throws. */
export async function receive(request: IncomingMessage, response: ServerResponse, needs: ReceiveDeps): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
  const [, kind, ...names] = pathname.split('/').map((word) => decoded(word));
  try {
    // Refuses requests of web pages in a browser.
    if (request.headers.origin !== undefined || !isLocal(request.headers.host))
      return sendJson(response, 403, { error: 'only programs on this machine may call this server' });
    if (kind === '__requests' || kind === '__release') return control(request, response, needs.ledger.known(names[0] ?? ''));
    const [scenario = '', run = ''] = names;
    const played = kind === 's' ? needs.scenarios.get(scenario) : undefined;
    if (!played || run === '')
      return sendJson(response, 404, { error: `no scenario at ${pathname}; an address begins with /s/SCENARIO/RUN` });
    await speak(request, response, { ...needs, played, run, pathname, searchParams });
  } catch (error) {
    const page = needs.ledger.known(names[1] ?? '');
    if (page) remember(page, String(error));
    if (response.headersSent) response.destroy();
    else sendJson(response, error instanceof z.ZodError ? 400 : 500, { error: String(error) });
  }
}

function control(request: IncomingMessage, response: ServerResponse, page: RunRecord | undefined): void {
  if (!page) return sendJson(response, 404, { error: 'no such run' });
  if (request.method === 'GET') return sendJson(response, 200, { requests: page.exchanges, problems: page.problems });
  page.release();
  sendJson(response, 200, {});
}

interface RequestContext extends ReceiveDeps {
  readonly played: ModelScenario;
  readonly run: string;
  readonly pathname: string;
  readonly searchParams: URLSearchParams;
}

async function speak(request: IncomingMessage, response: ServerResponse, scene: RequestContext): Promise<void> {
  const { pathname, searchParams, run, ledger } = scene;
  const source = await textOf(request);
  if (source === undefined) return sendJson(response, 413, { error: 'the request is too long' });
  const body = jsonIn(source);
  if (body === undefined) return sendJson(response, 400, { error: 'the request is no JSON' });
  const found = PROTOCOLS.map((protocol) => ({ protocol, asking: protocol.matches(pathname, searchParams) })).find(
    ({ asking }) => asking !== undefined,
  );
  if (!found?.asking || request.method !== 'POST') {
    const beside = PROTOCOLS.map((protocol) => protocol.sideAnswer(pathname, body)).find((answer) => answer !== undefined);
    // Agents check whether the server is up; any status will do.
    return beside ? sendJson(response, 200, beside) : void response.writeHead(request.method === 'HEAD' ? 200 : 404).end();
  }
  const { protocol, asking } = found;
  const model = asking.model ?? z.object({ model: z.string() }).safeParse(body).data?.model ?? 'model';
  const conversation = protocol.read(body);
  const call: Call = { response, protocol, asking, body, source, conversation, page: ledger.record(run), run, model };
  const isBeside = conversation.tools.length === 0 || BESIDE.test(source);
  await (isBeside ? answerSideRequest(call, scene) : answerOrReport(call, scene));
}

/** Answers a side request, such as one for a title, with a sample value in the requested schema. */
async function answerSideRequest(call: Call, scene: RequestContext): Promise<void> {
  const schema = call.protocol.schemaIn(call.body);
  const text = schema === undefined ? 'ok' : JSON.stringify(sampleOf(schema));
  const answer: ModelAnswer = {
    parts: [{ kind: 'text', text }],
    stop: 'end',
    usage: { input: 10, output: 1, cached: 0 },
    number: 0,
  };
  note(call, scene, { answer, isBeside: true });
  await send(call, scene, answer, {});
}

async function answerOrReport(call: Call, scene: RequestContext): Promise<void> {
  try {
    await playAnswer(call, scene);
  } catch (error) {
    if (!(error instanceof ScenarioFault)) throw error;
    const { page, protocol, response } = call;
    remember(page, error.message);
    note(call, scene, {});
    // Status 400, because no agent retries an invalid request.
    const { status, body } = protocol.refusal({ kind: 'bad_request', message: error.message, seconds: 0, until: 0 });
    sendJson(response, status, body);
  }
}

async function playAnswer(call: Call, scene: RequestContext): Promise<void> {
  const { conversation, response, page } = call;
  const plan = planFor(scene.played, conversation, call.source);
  const fault = page.nextFault(plan, conversation);
  if (fault && !isAccident(fault.kind)) {
    note(call, scene, { fault: fault.kind });
    return refuse(call, scene, fault);
  }
  const answer = answerFor(plan, conversation, call.source);
  note(call, scene, { answer, fault: fault?.kind });
  if (plan.isGated) await page.waitForRelease(abortOnClose(response));
  await send(call, scene, answer, { plan, fault });
}

async function refuse(
  { protocol, response, body, asking, model }: Call,
  { clock, unique }: RequestContext,
  fault: FaultPlan,
): Promise<void> {
  const trouble = troubleOf(fault, clock);
  const broken = protocol.broken(trouble, { model, body, unique });
  if (protocol.refusesInStream.includes(trouble.kind) && protocol.wantsStream(body, asking))
    return sendEvents(response, [broken], { paceMs: 0, broken, headers: {} });
  const { status, headers, body: told } = protocol.refusal(trouble);
  sendJson(response, status, told, headers);
}

interface Circumstances {
  readonly plan?: AnswerPlan;
  readonly fault?: FaultPlan | undefined;
}

async function send(call: Call, scene: RequestContext, answer: ModelAnswer, { plan, fault }: Circumstances): Promise<void> {
  const { protocol, response, body, asking, model } = call;
  const needs: AnswerDeps = { model, body, unique: scene.unique };
  const quota = plan?.quota && { percent: plan.quota.percent, until: scene.clock.now() + plan.quota.seconds * 1000 };
  const manner = {
    paceMs: plan?.paceMs ?? 0,
    accident: fault && isAccident(fault.kind) ? fault.kind : undefined,
    broken: protocol.broken(troubleOf({ kind: 'server_error', times: 1, seconds: 1 }, scene.clock), needs),
    headers: quota ? protocol.quota(quota) : {},
  };
  if (protocol.wantsStream(body, asking)) await sendEvents(response, protocol.stream(answer, needs), manner);
  else await sendWhole(response, protocol.whole(answer, needs), manner);
}

const isAccident = (kind: FaultPlan['kind']): kind is Accident => ACCIDENTS.some((accident) => accident === kind);

function troubleOf({ kind, seconds }: FaultPlan, clock: Clock): RefusalFacts {
  const refusal = kind as ProviderRefusal;
  return { kind: refusal, message: MESSAGES[refusal], seconds, until: clock.now() + seconds * 1000 };
}

function note(
  call: Call,
  { ledger }: RequestContext,
  { answer, fault, isBeside = false }: { answer?: ModelAnswer; fault?: FaultPlan['kind'] | undefined; isBeside?: boolean },
): void {
  const { protocol, model, conversation, body, run, source } = call;
  ledger.addExchange(run, { protocol: protocol.name, model, conversation, isBeside, answer, fault, body }, source.length * 2);
}

export function remember({ problems }: RunRecord, problem: string): void {
  if (problems.length < LIMITS.simulatedProblems.value) problems.push(problem);
}

function abortOnClose(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return gone.signal;
}

/** The body of a request; undefined if it is too long. */
export async function textOf(request: AsyncIterable<unknown>): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += (part as Buffer).length;
    if (bytes > LIMITS.simulatedRequestBytes.value) return undefined;
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString('utf8');
}

function jsonIn(source: string): unknown {
  try {
    return source === '' ? {} : (JSON.parse(source) as unknown);
  } catch {
    return undefined;
  }
}

const isLocal = (host = ''): boolean => /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host);

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
