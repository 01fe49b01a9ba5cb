import type { z } from 'zod';
import type { Call } from '../../contract/call.ts';
import { contract, type OperationName } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import { mayCall, type Standing } from '../../domain/authority.ts';

/** What a tool may touch while it is carried out. */
export interface ToolContext {
  readonly call: Call;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds on a clock that never jumps. */
  elapsed(): number;
  /** Aborts when the client no longer wants the answer. */
  readonly signal: AbortSignal;
  /** Tells the client how far it is; absent when the client does not listen. */
  readonly progress?: ((progress: Progress) => Promise<void>) | undefined;
}

export interface Progress {
  /** Grows with every call. */
  readonly progress: number;
  readonly total: number;
  readonly message: string;
}

/**
 * The same twice. Clients that take data show their model the data and never the words, the others the words alone:
 * whatever a model must know stands in both, and what bounds the one bounds the other.
 */
export interface ToolAnswer<Data = unknown> {
  /** One line or a few. */
  readonly text: string;
  readonly data: Data;
}

interface Definition<Input extends z.ZodObject, Output extends z.ZodObject> {
  /** `noun_verb`: some clients refuse dots. */
  readonly name: string;
  readonly title: string;
  /** Written for a model: what it does, when to use it, what comes next. */
  readonly about: string;
  readonly input: Input;
  readonly output: Output;
  /** Every operation it may call. Whoever may not call one of them is not offered the tool. */
  readonly calls: readonly OperationName[];
  /** It ends or removes something. */
  readonly destroys?: true;
  /** Once more with the same arguments changes nothing more. */
  readonly repeats?: true;
  run(input: z.output<Input>, asked: ToolContext): Promise<ToolAnswer<z.input<Output>>>;
}

export type Tool = Omit<Definition<z.ZodObject, z.ZodObject>, 'run'> & {
  run(input: unknown, asked: ToolContext): Promise<ToolAnswer>;
};

/** Its arguments have been checked against its schema when it runs. */
export const tool = <Input extends z.ZodObject, Output extends z.ZodObject>(definition: Definition<Input, Output>): Tool =>
  definition as unknown as Tool;

const byName = new Map<string, Operation>(contract.map((operation) => [operation.name, operation]));

export const operationOf = (name: OperationName): Operation => {
  const operation = byName.get(name);
  if (!operation) throw new Error(`no operation is called ${name}`);
  return operation;
};

export const isOpenTo = (standing: Standing, { calls }: Pick<Tool, 'calls'>): boolean =>
  calls.every((name) => mayCall(standing, operationOf(name)));

/** A tool that changes nothing may be called without asking anybody. */
export const annotationsOf = ({ title, calls, destroys, repeats }: Tool) => {
  const readOnly = calls.every((name) => operationOf(name).kind === 'query');
  return {
    title,
    readOnlyHint: readOnly,
    destructiveHint: destroys ?? false,
    idempotentHint: readOnly || (repeats ?? false),
    openWorldHint: false,
  };
};
