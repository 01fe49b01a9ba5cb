import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { LIMITS } from '../domain/limits.ts';
import type { Clock } from '../platform/clock.ts';
import type { Answer } from './answer.ts';
import type { Conversation } from './conversation.ts';
import { ScenarioFault } from './deeds.ts';
import { inEvents, inJson, inOne } from './deliver.ts';
import type { Ledger, RunPage } from './ledger.ts';
import { answerFor, planFor } from './play.ts';
import type { AnswerNeeds, Asking, Protocol } from './protocol.ts';
import { anthropicMessages } from './protocols/anthropic-messages.ts';
import { gemini } from './protocols/gemini.ts';
import { openaiChat } from './protocols/openai-chat.ts';
import { openaiResponses } from './protocols/openai-responses.ts';
import { sampleOf } from './sample.ts';
import type { AnswerPlan, FaultPlan, Scenario } from './scenario/scenario.ts';
import { ACCIDENTS, type Accident, MESSAGES, type Refusal, type Trouble } from './trouble.ts';

const PROTOCOLS: readonly Protocol[] = [anthropicMessages, openaiResponses, openaiChat, gemini];

/** Side requests that offer tools: Qwen asks for memories. */
const BESIDE = /You are now acting as the managed memory extraction subagent/;

export interface ReceiveNeeds {
  readonly scenarios: ReadonlyMap<string, Scenario>;
  readonly ledger: Ledger;
  readonly clock: Clock;
  unique(): string;
}

/** One parsed request for an answer. */
interface Call {
  readonly response: ServerResponse;
  readonly protocol: Protocol;
  readonly asking: Asking;
  readonly body: unknown;
  readonly source: string;
  readonly conversation: Conversation;
  readonly page: RunPage;
  readonly run: string;
  readonly model: string;
}

/** Answers one request, of an agent or of an observer. Never throws. */
export async function receive(request: IncomingMessage, response: ServerResponse, needs: ReceiveNeeds): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
  const [, kind, ...names] = pathname.split('/').map((word) => decoded(word));
  try {
    // Refuses requests of web pages in a browser.
    if (request.headers.origin !== undefined || !isLocal(request.headers.host))
      return inJson(response, 403, { error: 'only programs on this machine may call this server' });
    if (kind === '__requests' || kind === '__release') return control(request, response, needs.ledger.known(names[0] ?? ''));
    const [scenario = '', run = ''] = names;
    const played = kind === 's' ? needs.scenarios.get(scenario) : undefined;
    if (!played || run === '')
      return inJson(response, 404, { error: `no scenario at ${pathname}; an address begins with /s/SCENARIO/RUN` });
    await speak(request, response, { ...needs, played, run, pathname, searchParams });
  } catch (error) {
    const page = needs.ledger.known(names[1] ?? '');
    if (page) remember(page, String(error));
    if (response.headersSent) response.destroy();
    else inJson(response, error instanceof z.ZodError ? 400 : 500, { error: String(error) });
  }
}

function control(request: IncomingMessage, response: ServerResponse, page: RunPage | undefined): void {
  if (!page) return inJson(response, 404, { error: 'no such run' });
  if (request.method === 'GET') return inJson(response, 200, { requests: page.exchanges, problems: page.problems });
  page.release();
  inJson(response, 200, {});
}

interface RequestContext extends ReceiveNeeds {
  readonly played: Scenario;
  readonly run: string;
  readonly pathname: string;
  readonly searchParams: URLSearchParams;
}

async function speak(request: IncomingMessage, response: ServerResponse, scene: RequestContext): Promise<void> {
  const { pathname, searchParams, run, ledger } = scene;
  const source = await textOf(request);
  if (source === undefined) return inJson(response, 413, { error: 'the request is too long' });
  const body = jsonIn(source);
  if (body === undefined) return inJson(response, 400, { error: 'the request is no JSON' });
  const found = PROTOCOLS.map((protocol) => ({ protocol, asking: protocol.asks(pathname, searchParams) })).find(
    ({ asking }) => asking !== undefined,
  );
  if (!found?.asking || request.method !== 'POST') {
    const beside = PROTOCOLS.map((protocol) => protocol.beside(pathname, body)).find((answer) => answer !== undefined);
    // Agents check whether the server is up; any status will do.
    return beside ? inJson(response, 200, beside) : void response.writeHead(request.method === 'HEAD' ? 200 : 404).end();
  }
  const { protocol, asking } = found;
  const model = asking.model ?? z.object({ model: z.string() }).safeParse(body).data?.model ?? 'model';
  const conversation = protocol.read(body);
  const call: Call = { response, protocol, asking, body, source, conversation, page: ledger.page(run), run, model };
  const isBeside = conversation.tools.length === 0 || BESIDE.test(source);
  await (isBeside ? answerSideRequest(call, scene) : answerOrReport(call, scene));
}

/** Answers a side request, such as one for a title, with a sample value in the requested schema. */
async function answerSideRequest(call: Call, scene: RequestContext): Promise<void> {
  const schema = call.protocol.schemaIn(call.body);
  const text = schema === undefined ? 'ok' : JSON.stringify(sampleOf(schema));
  const answer: Answer = { parts: [{ kind: 'text', text }], stop: 'end', usage: { input: 10, output: 1, cached: 0 }, number: 0 };
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
    inJson(response, status, body);
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
  if (plan.isGated) await page.held(abortOnClose(response));
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
    return inEvents(response, [broken], { paceMs: 0, broken, headers: {} });
  const { status, headers, body: told } = protocol.refusal(trouble);
  inJson(response, status, told, headers);
}

interface Circumstances {
  readonly plan?: AnswerPlan;
  readonly fault?: FaultPlan | undefined;
}

async function send(call: Call, scene: RequestContext, answer: Answer, { plan, fault }: Circumstances): Promise<void> {
  const { protocol, response, body, asking, model } = call;
  const needs: AnswerNeeds = { model, body, unique: scene.unique };
  const quota = plan?.quota && { percent: plan.quota.percent, until: scene.clock.now() + plan.quota.seconds * 1000 };
  const manner = {
    paceMs: plan?.paceMs ?? 0,
    accident: fault && isAccident(fault.kind) ? fault.kind : undefined,
    broken: protocol.broken(troubleOf({ kind: 'server_error', times: 1, seconds: 1 }, scene.clock), needs),
    headers: quota ? protocol.quota(quota) : {},
  };
  if (protocol.wantsStream(body, asking)) await inEvents(response, protocol.stream(answer, needs), manner);
  else await inOne(response, protocol.whole(answer, needs), manner);
}

const isAccident = (kind: FaultPlan['kind']): kind is Accident => ACCIDENTS.some((accident) => accident === kind);

function troubleOf({ kind, seconds }: FaultPlan, clock: Clock): Trouble {
  const refusal = kind as Refusal;
  return { kind: refusal, message: MESSAGES[refusal], seconds, until: clock.now() + seconds * 1000 };
}

function note(
  call: Call,
  { ledger }: RequestContext,
  { answer, fault, isBeside = false }: { answer?: Answer; fault?: FaultPlan['kind'] | undefined; isBeside?: boolean },
): void {
  const { protocol, model, conversation, body, run, source } = call;
  ledger.note(run, { protocol: protocol.name, model, conversation, isBeside, answer, fault, body }, source.length * 2);
}

export function remember({ problems }: RunPage, problem: string): void {
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
