import { z } from 'zod';
import { Pause } from '../domain/hold/pause.ts';
import { SETTING_ORIGINS } from '../domain/settings.ts';
import { Instant, line, TaskId } from '../domain/values.ts';
import { operation } from './operation.ts';
import { PhaseName, QuestionView, TaskView } from './shapes.ts';

export const initHome = operation({
  name: 'home.init',
  kind: 'command',
  role: 'admin',
  summary: 'Create the home of this fleet; existing files are left unchanged.',
  input: z.strictObject({}),
  output: z.strictObject({ home: z.string(), created: z.array(z.string()) }),
  faults: ['unavailable'],
});

const Setting = z.strictObject({ name: z.string(), value: z.unknown(), origin: z.enum(SETTING_ORIGINS), summary: z.string() });

export const showConfig = operation({
  name: 'config.show',
  kind: 'query',
  role: 'monitor',
  summary: 'Show every setting and where its value comes from.',
  input: z.strictObject({ name: line(64).optional().describe('only this setting') }),
  output: z.strictObject({
    file: z.string(),
    problem: z.string().optional(),
    items: z.array(Setting),
    /** The source of the values: `engine` if the running engine answered, `command` if the command read them itself. */
    by: z.enum(['engine', 'command']),
    /** Process id of the running engine of this home. */
    engine: z.int().optional(),
    /** Settings in the caller's environment that have no effect in the running engine. */
    notInForce: z.array(
      z.strictObject({ name: z.string(), variable: z.string(), given: z.unknown(), inForce: z.unknown().optional() }),
    ),
  }),
  faults: ['not_found', 'unavailable'],
});

export const setConfig = operation({
  name: 'config.set',
  kind: 'command',
  role: 'admin',
  summary: 'Change settings in runtime.toml; a running fleet applies them at once.',
  input: z.strictObject({
    assignments: z.array(z.string()).min(1).max(50).describe('name=value; an empty value restores the default'),
  }),
  output: z.strictObject({ file: z.string(), items: z.array(Setting) }),
  faults: ['invalid', 'not_found', 'forbidden', 'unavailable'],
});

export const fleetStatus = operation({
  name: 'fleet.status',
  kind: 'query',
  role: 'monitor',
  summary: 'Show the state of the whole fleet.',
  input: z.strictObject({}),
  output: z.strictObject({
    home: z.string(),
    engine: z.strictObject({
      running: z.boolean(),
      host: z.string().optional(),
      pid: z.int().optional(),
      since: Instant.optional(),
    }),
    /** Tasks by phase. `atLeast`: there are more than were counted. */
    counts: z.strictObject({
      tasks: z.record(PhaseName, z.int()),
      atLeast: z.array(PhaseName),
      at: Instant.optional().describe('when the tasks were counted, if not now'),
    }),
    projects: z.int(),
    running: z.array(TaskView),
    blocked: z.array(TaskView),
    questions: z.array(QuestionView),
    /** Queued tasks that are not started here, by reason. `atLeast`: there are more than were counted. */
    heldUp: z.array(z.strictObject({ why: z.string(), tasks: z.int(), atLeast: z.boolean(), first: TaskId })),
    /** Pauses of accounts, on which nothing is started because the provider refuses more work. */
    pauses: z.array(Pause),
    problems: z.array(z.string()),
  }),
  faults: ['unavailable'],
});
