import { z } from 'zod';
import { line, Name } from '../domain/values.ts';
import { operation } from './operation.ts';

const Abilities = z.strictObject({
  resume: z.boolean(),
  fork: z.boolean(),
  steer: z.boolean(),
  ask: z.boolean(),
  usage: z.boolean(),
  context: z.boolean(),
  mcp: z.boolean(),
  tools: z.boolean(),
});

/** One executor on the machine of this fleet: whether it can be used, with which program, and how to repair it. */
export const ExecutorView = z.strictObject({
  name: Name,
  /** `missing`: the program is not installed. `broken`: its file or program does not work. `off`: the owner has not switched it on. */
  state: z.enum(['ready', 'signed_out', 'missing', 'broken', 'off']),
  origin: z.enum(['built_in', 'file', 'module']),
  /** The file that describes an executor added by the user. */
  file: z.string().optional(),
  isDefault: z.boolean(),
  /** Model of a task that names none; absent means the program's own default. */
  model: z.string().optional(),
  /** Absent if the program is Fleet's own. */
  program: z
    .strictObject({
      command: z.string(),
      found: z.boolean(),
      /** The file that is started. */
      path: z.string().optional(),
      /** The wrapper found first, if the program behind it is started instead. */
      wrapper: z.string().optional(),
      version: z.string().optional(),
      /** The newest version proved with this executor. */
      proved: z.string().optional(),
      age: z.enum(['proved', 'older', 'newer']).optional(),
    })
    .optional(),
  signedIn: z.enum(['yes', 'no', 'unknown']),
  /** Name of the variable or file that signs the program in, never its content. */
  signedInBy: z.string().optional(),
  /** Accounts described in files, besides the user's own. */
  accounts: z
    .array(
      z.strictObject({
        name: Name,
        signedIn: z.enum(['yes', 'no', 'unknown']),
        signedInBy: z.string().optional(),
        problem: z.string().optional(),
        repair: z.string().optional(),
      }),
    )
    .optional(),
  /** Whether its program can work in a sandbox here, and what keeps it from that. Absent where there is no program to look at. */
  sandbox: z
    .strictObject({
      works: z.boolean(),
      problem: z.string().optional(),
      repair: z.string().optional(),
      /** Which limits the kernel holds where the engine is, and which are measured. Absent where it does not work. */
      limits: z.string().optional(),
    })
    .optional(),
  can: Abilities.optional(),
  contextLimit: z.int().optional(),
  problem: z.string().optional(),
  /** The command that repairs an executor that is not ready. */
  repair: z.string().optional(),
});
export type ExecutorView = z.infer<typeof ExecutorView>;

export const listExecutors = operation({
  name: 'executor.list',
  kind: 'query',
  role: 'monitor',
  summary: 'List executors: which are ready, with which program, and how to repair the others.',
  input: z.strictObject({}),
  output: z.strictObject({ items: z.array(ExecutorView) }),
  faults: ['unavailable'],
});

export const showExecutor = operation({
  name: 'executor.show',
  kind: 'query',
  role: 'monitor',
  summary: 'Show one executor: its program, whether it is signed in, and what it can do.',
  input: z.strictObject({ executor: line(64).describe('name of the executor') }),
  output: ExecutorView,
  faults: ['not_found', 'unavailable'],
});
