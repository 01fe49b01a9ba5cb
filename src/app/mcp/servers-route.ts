import { Fault } from '../../domain/fault.ts';
import { CONTEXT_MODE, INSTALL_CONTEXT_MODE } from '../../domain/project/mcp-servers.ts';
import { runs } from '../../store/records/runs.ts';
import { tasks } from '../../store/records/tasks.ts';
import { jsonBody } from '../../surfaces/http/body.ts';
import type { Asked, Web } from '../../surfaces/http/web.ts';
import type { House } from '../house.ts';
import { workDirectory } from '../prepare.ts';
import { resolvedHere, serversFor } from './servers.ts';

type Env = Readonly<Record<string, string | undefined>>;

const MOST_TOLD = 2_000;

/** Where the bridge of a run asks what to start, and tells what became of it. It is for that run alone, and is kept nowhere. */
export function mountServers(web: Web, house: House, env: Env): void {
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
    const { trouble } = await jsonBody(asked.env.incoming);
    const why = typeof trouble === 'string' ? trouble.slice(0, MOST_TOLD) : 'it is broken';
    const repair = name === CONTEXT_MODE ? `; to install it: ${INSTALL_CONTEXT_MODE}` : '';
    await asked.get('call')('task.comment', {
      id: taskId,
      text: `MCP server ${name} is not there for this run: ${why}${repair}`,
    });
    return asked.json({});
  });
}

function bridgeIn(asked: Asked) {
  const { run } = asked.get('caller');
  if (!run) throw new Fault('forbidden', 'only the agent of a run may ask here');
  return { name: asked.req.query('name') ?? '', ...run };
}
