import { z } from 'zod';
import { Fault } from '../fault.ts';
import { LIMITS } from '../limits.ts';
import { Task } from './task.ts';

/** One task of an import file, in words common to our own files and a beads file. */
export interface ImportedTask {
  /** Its id in the file it comes from. */
  readonly source: string;
  readonly title: string;
  readonly prompt: string;
  readonly acceptance?: string | undefined;
  readonly priority: number;
  readonly tags: readonly string[];
  readonly assignee?: string | undefined;
  readonly project?: string | undefined;
  readonly directory?: string | undefined;
  readonly state: 'open' | 'done' | 'canceled';
  readonly createdAt?: string | undefined;
  readonly after: readonly string[];
  readonly comments: readonly { readonly by: string; readonly text: string }[];
  /** What held its agent: it does not come in with more than it had. */
  readonly held: Held;
}

/** Restrictions alone. What a file says besides of how a task is carried out is said anew by whoever brings it in. */
const Held = z.object({
  ...Task.pick({ maxBudgetUsd: true, maxTokens: true, maxTurns: true, timeoutSeconds: true, preset: true, tools: true }).shape,
  kind: Task.shape.kind.optional(),
  sandbox: z.literal(true).optional().catch(undefined),
  isolation: z.literal('clone').optional().catch(undefined),
});
type Held = z.infer<typeof Held>;

const Ours = z.looseObject({
  type: z.literal('task'),
  task: z.looseObject({
    id: z.string(),
    title: z.string(),
    prompt: z.string(),
    acceptance: z.string().optional(),
    priority: z.int().min(0).max(9),
    tags: z.array(z.string()),
    assignee: z.string().optional(),
    project: z.string().optional(),
    directory: z.string().optional(),
    phase: z.looseObject({ state: z.string() }),
    dependsOn: z.array(z.string()),
    createdAt: z.string(),
    ...Held.shape,
  }),
  comments: z.array(z.looseObject({ by: z.string(), why: z.string().optional() })).default([]),
});

const Bead = z.looseObject({
  id: z.string().min(1),
  title: z.string(),
  description: z.string().optional(),
  design: z.string().optional(),
  notes: z.string().optional(),
  acceptance_criteria: z.string().optional(),
  status: z.string().default('open'),
  priority: z.int().min(0).max(4).default(2),
  labels: z.array(z.string()).default([]),
  assignee: z.string().optional(),
  created_at: z.string().optional(),
  dependencies: z.array(z.looseObject({ depends_on_id: z.string(), type: z.string().default('blocks') })).default([]),
  comments: z.array(z.looseObject({ author: z.string().optional(), text: z.string().optional() })).default([]),
});

/** Only these kinds of bead dependency mean "not before". */
const BLOCKING = new Set(['blocks', 'conditional-blocks', 'waits-for']);

export function parseImportLine(line: unknown): ImportedTask {
  const ours = Ours.safeParse(line);
  if (ours.success) return fromOurs(ours.data);
  const bead = Bead.safeParse(line);
  if (bead.success) return fromBead(bead.data);
  throw new Fault(
    'invalid',
    `a line is neither a task of \`fleet task export\` nor a beads issue: ${JSON.stringify(line).slice(0, 120)}`,
  );
}

const fromOurs = ({ task, comments }: z.infer<typeof Ours>): ImportedTask => ({
  source: task.id,
  title: task.title,
  prompt: task.prompt,
  acceptance: task.acceptance,
  priority: task.priority,
  tags: task.tags,
  assignee: task.assignee,
  project: task.project,
  directory: task.directory,
  state: task.phase.state === 'done' ? 'done' : task.phase.state === 'canceled' ? 'canceled' : 'open',
  createdAt: task.createdAt,
  after: task.dependsOn,
  comments: comments.flatMap(({ by, why }) => (why ? [{ by, text: why }] : [])),
  held: Held.parse(task),
});

const fromBead = (bead: z.infer<typeof Bead>): ImportedTask => ({
  source: bead.id,
  title: bead.title,
  prompt: [bead.description, bead.design, bead.notes].filter((text) => text?.trim()).join('\n\n') || bead.title,
  acceptance: bead.acceptance_criteria,
  // Theirs has five steps, ours ten: the middle stays the middle.
  priority: [1, 3, 5, 7, 9][bead.priority] ?? 5,
  tags: bead.labels.slice(0, LIMITS.tags.value),
  assignee: bead.assignee,
  state: bead.status === 'closed' ? 'done' : 'open',
  createdAt: bead.created_at,
  after: bead.dependencies.filter(({ type }) => BLOCKING.has(type)).map(({ depends_on_id }) => depends_on_id),
  comments: bead.comments.flatMap(({ author, text }) => (text ? [{ by: author ?? 'unknown', text }] : [])),
  held: {},
});

/** Lines so that each comes after those it waits for; a cycle is refused with its path. */
export function inDependencyOrder<Line>(
  lines: readonly Line[],
  read: (line: Line) => Pick<ImportedTask, 'source' | 'after'>,
): Line[] {
  const bySource = new Map(lines.map((line) => [read(line).source, line]));
  const ordered: Line[] = [];
  const done = new Set<string>();
  for (const start of bySource.keys()) {
    // An explicit stack of (source, remaining dependencies): files may hold chains longer than the call stack.
    const path: { source: string; rest: string[] }[] = [];
    const enter = (source: string) => path.push({ source, rest: [...read(bySource.get(source) as Line).after] });
    if (!done.has(start)) enter(start);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.rest.pop();
      if (next === undefined) {
        path.pop();
        done.add(top.source);
        ordered.push(bySource.get(top.source) as Line);
      } else if (bySource.has(next) && !done.has(next)) {
        const at = path.findIndex(({ source }) => source === next);
        if (at !== -1)
          throw new Fault(
            'invalid',
            `the file contains a cycle: ${[...path.slice(at).map(({ source }) => source), next].join(' → ')}`,
          );
        enter(next);
      }
    }
  }
  return ordered;
}
