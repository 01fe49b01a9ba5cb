import { z } from 'zod';
import { PROJECT_BOUNDS } from '../bounds/bound-settings.ts';
import { ExecutorRef } from '../hold/executor-ref.ts';
import { LIMITS } from '../limits.ts';
import { EFFORTS, INTEGRATIONS, ISOLATIONS } from '../task/task.ts';
import { Command, Instant, LongText, line, Name, Path, ProjectId, Ref, Title } from '../values.ts';

/** A path below the project: never absolute, and without `..`. */
const Below = Path.refine((value) => !value.startsWith('/') && !value.split('/').includes('..'), {
  error: ({ input }) => `${JSON.stringify(input)} leaves the project: give a path below it`,
});

/** A file pattern in the syntax of guarded paths. A leading `!` is refused because patterns cannot exclude. */
const Pattern = line(LIMITS.refCharacters.value).refine((value) => !value.startsWith('!') && !/^\/*$/.test(value), {
  error: ({ input }) => `${JSON.stringify(input)} names no files: give a name or a pattern such as package-lock.json or tools/**`,
});

export const McpServer = z.strictObject({
  command: Command.optional(),
  args: z.array(LongText).max(LIMITS.argsPerTask.value).optional(),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), LongText).optional(),
  url: z.url({ protocol: /^https?$/ }).optional(),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,64}$/), LongText).optional(),
});

/** The fields of a project that a person may set and change. */
export const ProjectSpec = z.strictObject({
  name: Name,
  description: LongText,
  targetBranch: Ref.optional(),
  setup: Command.optional(),
  /** Patterns of the files that the set-up depends on. Without any, it depends on every file. */
  setupInputs: z.array(Pattern).max(LIMITS.setupInputs.value).optional(),
  verify: Command.optional(),
  copyFiles: z.array(Below).max(LIMITS.copiedFiles.value),
  mcpServers: z.record(Name, McpServer),
  /** Hashes of what each of its servers said of its tools to the newest run that asked. */
  toolsSeen: z.record(Name, z.string()).optional(),
  executor: ExecutorRef.optional(),
  model: Title.optional(),
  effort: z.enum(EFFORTS).optional(),
  integration: z.enum(INTEGRATIONS).optional(),
  isolation: z.enum(ISOLATIONS).optional(),
  push: z.boolean().optional(),
  maxConcurrent: z.int().min(1).max(LIMITS.holders.value).optional(),
  ...PROJECT_BOUNDS,
});
export type ProjectSpec = z.infer<typeof ProjectSpec>;

export const Project = ProjectSpec.extend({
  id: ProjectId,
  seq: z.int().min(1),
  path: Path,
  /** A plain directory has no branches: agents work in place and nothing is merged. */
  kind: z.enum(['repository', 'bare', 'directory']),
  /** A removed project takes no new tasks and is hidden; its past tasks stay readable. */
  removedAt: Instant.optional(),
  createdAt: Instant,
  createdBy: z.string(),
  updatedAt: Instant,
});
export type Project = z.infer<typeof Project>;
