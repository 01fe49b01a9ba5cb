import { z } from 'zod';
import { Fault, isFault } from '../../domain/fault.ts';
import { CONTEXT_MODE, INSTALL_CONTEXT_MODE } from '../../domain/project/mcp-servers.ts';
import type { TaskId } from '../../domain/values.ts';
import { changeWrites } from '../../store/records/journal.ts';
import { projects } from '../../store/records/projects.ts';
import { runs } from '../../store/records/runs.ts';
import { tasks } from '../../store/records/tasks.ts';
import { jsonBody } from '../../surfaces/http/body.ts';
import type { Web, WebContext } from '../../surfaces/http/web.ts';
import { workDirectory } from '../prepare.ts';
import type { FleetServices } from '../services.ts';
import { resolvedHere, serversFor } from './servers.ts';

type Env = Readonly<Record<string, string | undefined>>;

const MOST_TOLD = 2_000;

/** Where the bridge of a run asks what to start, and tells what became of it. It is for that run alone, and is kept nowhere. */
export function mountServers(web: Web, house: FleetServices, env: Env): void {
  web.get('/mcp/run/server', async (asked) => {
    const { name, runId, taskId } = bridgeIn(asked);
    const [run, task] = await Promise.all([runs.get(house.store, runId), tasks.get(house.store, taskId)]);
    const declared = task ? await serversFor(house, task.body) : {};
    const server = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (!run || !task || !server) throw new Fault('not_found', `this run has no MCP server ${JSON.stringify(name)}`);
    const directory = await workDirectory(house, run.body, task.body);
    const own = name === CONTEXT_MODE ? { PROJECT_DIR: directory } : {};
    const filled = resolvedHere(server, env);
    return asked.json(
      { ...filled, ...(filled.command === undefined ? {} : { env: { ...own, ...filled.env } }), cwd: directory },
      { headers: { 'cache-control': 'no-store' } },
    );
  });
  web.post('/mcp/run/server', async (asked) => {
    const { name, taskId } = bridgeIn(asked);
    const { trouble, tools } = await jsonBody(asked.env.incoming);
    if (tools !== undefined) {
      const text = await pinned(house, { taskId, name, tools: offeredIn(tools) });
      if (text !== undefined) await asked.get('call')('task.comment', { id: taskId, text });
      return asked.json({});
    }
    const why = typeof trouble === 'string' ? trouble.slice(0, MOST_TOLD) : 'it is broken';
    const repair = name === CONTEXT_MODE ? `; to install it: ${INSTALL_CONTEXT_MODE}` : '';
    await asked.get('call')('task.comment', {
      id: taskId,
      text: `MCP server ${name} is not there for this run: ${why}${repair}`,
    });
    return asked.json({});
  });
}

const Offered = z.strictObject({ hash: z.string().regex(/^[0-9a-f]{64}$/), names: z.array(z.string().max(200)).max(200) });

function offeredIn(value: unknown): Pinned['tools'] {
  const found = Offered.safeParse(value);
  if (!found.success) throw new Fault('invalid', 'tools: is not a hash and names of tools');
  return found.data;
}

interface Pinned {
  readonly taskId: TaskId;
  readonly name: string;
  readonly tools: z.infer<typeof Offered>;
}

const NAMES_SHOWN = 20;

/** What a server of the project says of its tools steers every agent that reads it. Told where it is not what it was. */
async function pinned(house: FleetServices, { taskId, name, tools }: Pinned): Promise<string | undefined> {
  const task = (await tasks.get(house.store, taskId))?.body;
  const seen = task?.projectId && (await projects.get(house.store, task.projectId));
  if (!seen || !Object.hasOwn(seen.body.mcpServers, name)) return undefined;
  const before = seen.body.toolsSeen?.[name];
  if (before === tools.hash) return undefined;
  const next = { ...seen.body, toolsSeen: { ...seen.body.toolsSeen, [name]: tools.hash }, updatedAt: house.now() };
  const note = { what: before === undefined ? 'tools seen' : 'tools changed', data: { server: name, hash: tools.hash } };
  // Whoever comes second sees it at its next run.
  await house.store
    .commit(changeWrites(projects, seen, next, { author: { by: 'fleet', at: house.now() }, note }))
    .catch((error: unknown) => {
      if (!isFault(error, 'conflict')) throw error;
    });
  if (before === undefined) return undefined;
  const names = tools.names
    .slice(0, NAMES_SHOWN)
    .map((one) => JSON.stringify(one))
    .join(', ');
  return `MCP server ${name} says something else of its tools than it did to the run before: look whether that is meant (${names})`;
}

function bridgeIn(asked: WebContext) {
  const { run } = asked.get('caller');
  if (!run) throw new Fault('forbidden', 'only the agent of a run may ask here');
  return { name: asked.req.query('name') ?? '', ...run };
}
