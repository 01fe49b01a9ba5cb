import { z } from 'zod';
import { contract } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import { RunView } from '../../contract/run.ts';
import { EntryView, ProjectView, QuestionView, TaskView } from '../../contract/shapes.ts';
import { FAULT_CODES, type FaultCode } from '../../domain/fault.ts';
import { Token } from '../../domain/token/token.ts';
import { HTTP_STATUS } from '../../wire/problem.ts';
import { type Route, routeOf } from '../../wire/route.ts';
import { LIVE_PATH, liveOperation } from './live-operation.ts';

type Json = Record<string, unknown>;

/** Shapes that recur, under the names people know them by. */
const NAMED = { Task: TaskView, Project: ProjectView, Question: QuestionView, Run: RunView, Entry: EntryView, Token };

const names = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(NAMED)) names.add(schema, { id });

/** The OpenAPI 3.1 description of every operation, made from the contract. */
export function openApi(version: string): Json {
  const schemas: Json = { Problem: PROBLEM };
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const { $schema: _, $defs = {}, ...json } = z.toJSONSchema(schema, { metadata: names, io, reused: 'inline' });
    for (const [id, shape] of Object.entries($defs)) schemas[id] = withoutId(shape);
    return { ...(pointed(json) as Json) };
  };
  const operations: readonly Operation[] = contract;
  const paths: Record<string, Json> = { [LIVE_PATH]: { get: liveOperation(refusals(['not_found'])) } };
  for (const operation of operations) {
    const route = routeOf(operation);
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(operation, route, schemaOf) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fleet',
      version,
      summary: 'Everything that can be asked of a fleet of coding agents.',
      description:
        'Commands take an `Idempotency-Key`: the same key with the same body is carried out once and answered the same. Things with a history carry an `ETag`; `If-Match` makes a command depend on it.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: [...new Set(operations.map(nounOf)), 'live'].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: pointed(schemas) as Json,
    },
  };
}

const nounOf = ({ name }: Operation): string => name.split('.', 1)[0] ?? name;

function operationOf(operation: Operation, route: Route, schemaOf: (schema: z.ZodType, io: 'input' | 'output') => Json): Json {
  const input = schemaOf(operation.input, 'input') as { properties?: Record<string, Json>; required?: string[] };
  const { [route.subject ?? '']: subject, ...rest } = input.properties ?? {};
  const required = (input.required ?? []).filter((name) => name !== route.subject);
  const hasBody = route.method === 'POST' || route.method === 'PATCH';
  return {
    operationId: operation.name,
    tags: [nounOf(operation)],
    summary: operation.summary,
    description: `For the role ${operation.role}.`,
    parameters: [
      ...(subject ? [parameter(route.subject ?? '', subject, 'path', true)] : []),
      ...(hasBody ? [] : Object.entries(rest).map(([name, one]) => parameter(name, one, 'query', required.includes(name)))),
      ...(operation.kind === 'command' ? [KEY] : []),
      ...(rest['ifSeq'] ? [IF_MATCH] : []),
    ],
    ...(hasBody ? { requestBody: bodyOf({ ...input, properties: rest, required }) } : {}),
    responses: {
      [route.creates ? '201' : '200']: {
        description: 'It worked.',
        content: { 'application/json': { schema: schemaOf(operation.output, 'output') } },
      },
      ...refusals(operation.faults),
    },
  };
}

function parameter(name: string, { description, ...schema }: Json, where: 'path' | 'query', required: boolean): Json {
  return { name, in: where, required, schema, ...(description === undefined ? {} : { description }) };
}

const bodyOf = ({ properties, required, ...schema }: { properties: Json; required: string[] }): Json => ({
  required: required.length > 0,
  content: {
    'application/json': { schema: { ...schema, properties, ...(required.length > 0 ? { required } : {}) } },
  },
});

/** What every route may answer, and what this operation may. */
function refusals(faults: readonly FaultCode[]): Json {
  const codes = FAULT_CODES.filter((code) => ALWAYS.includes(code) || faults.includes(code));
  return Object.fromEntries(
    codes.map((code) => [
      String(HTTP_STATUS[code]),
      { description: code, content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } },
    ]),
  );
}

const ALWAYS: readonly FaultCode[] = ['invalid', 'unauthenticated', 'forbidden', 'limit', 'unavailable'];

const KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 200 },
};

const IF_MATCH: Json = { name: 'If-Match', in: 'header', required: false, schema: { type: 'string' } };

const PROBLEM: Json = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: [...FAULT_CODES, 'bug'] },
    details: { type: 'object' },
    id: { type: 'string' },
  },
};

/** References lead to the shapes of the whole document. */
function pointed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inside]) => [
      name,
      name === '$ref' && typeof inside === 'string' ? inside.replace('#/$defs/', '#/components/schemas/') : pointed(inside),
    ]),
  );
}

function withoutId(shape: unknown): unknown {
  const { id: _, ...rest } = shape as Json;
  return rest;
}
