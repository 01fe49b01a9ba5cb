/**
 * The program tells its plugins what the protocol leaves out: the usage of each request to the model, the status of the provider's
 * answer, and how long it will wait. This plugin prints that as notifications of Fleet, between the lines of the protocol.
 */
export const PLUGIN_FILE = 'fleet-plugin.js';

export const PLUGIN = `const told = new Set();
const tell = (what, params) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', method: '_fleet/' + what, params }) + '\\n');
let models = new Map();
const heard = ({ type, properties = {} }) => {
  if (type === 'message.updated') {
    const { id, role, time, tokens, cost, providerID, modelID, finish, summary, error } = properties.info || {};
    if (role !== 'assistant' || !time || !time.completed || told.has(id)) return;
    told.add(id);
    const { input = 0, output = 0, reasoning = 0, cache = {} } = tokens || {};
    const { read = 0, write = 0 } = cache;
    tell('step', { input: input + write, output: output + reasoning, cached: read, cost, model: modelID, window: models.get(providerID + '/' + modelID), finish: error ? 'error' : finish, summary: summary === true });
  } else if (type === 'session.error') {
    const { name, data = {} } = properties.error || {};
    tell('error', { name, status: data.statusCode });
  } else if (type === 'session.status' && properties.status && properties.status.type === 'retry') {
    const { attempt, next } = properties.status;
    tell('retry', { attempt, next, waitMs: next - Date.now() });
  }
};
const learn = async (client) => {
  const { data } = await client.config.providers();
  const all = data.providers.flatMap(({ id, models }) => Object.values(models).map((one) => [id + '/' + one.id, one.limit && one.limit.context]));
  models = new Map(all);
};
export const Fleet = async ({ client }) => {
  let asked = false;
  return {
    event: async ({ event }) => {
      try {
        // Not before there is a session: the program is not ready to be asked by its own plugins.
        if (!asked) {
          asked = true;
          learn(client).catch(() => {});
        }
        heard(event);
      } catch {}
    },
  };
};
`;
