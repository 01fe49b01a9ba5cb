import type { RunId } from '../domain/values.ts';
import { mapTexts } from '../domain/work/report.ts';
import type { Store, Write } from '../store/port.ts';

type Fields = Readonly<Record<string, unknown>>;
type Clean = (text: string) => string;

/**
 * The store as the engine writes to it: what it has learned from files, git and the end of runs is put through the redactor
 * first. Names of files, subjects of commits and last words are an agent's own, and may hold a secret that it was given. What
 * a person wrote (prompt, title, messages) stays as it was given.
 */
export const cleanRows = (store: Store, redactor: (runId: RunId) => Promise<Clean>, own: Clean): Store => ({
  // One by one: a store may be an object of a class, whose verbs no spread would copy.
  limits: store.limits,
  get: (key) => store.get(key),
  scan: (query) => store.scan(query),
  count: (query) => store.count(query),
  watch: (signal, options) => store.watch(signal, options),
  ...(store.revision ? { revision: () => store.revision?.() } : {}),
  close: () => store.close(),
  commit: async (writes, options) => {
    if (!writes.some(saysSomething)) return store.commit(writes, options);
    const about = [...new Set(writes.flatMap(runsIn))];
    const all = await Promise.all(about.map(redactor));
    const clean: Clean = (text) => all.reduce((left, redact) => redact(left), all.length > 0 ? text : own(text));
    return store.commit(
      writes.map((write) => cleaned(write, clean)),
      options,
    );
  },
});

/** For each kind of row, the parts of it that agents have a say in. */
const TOLD: Readonly<Record<string, (body: Fields) => Fields>> = {
  task: ({ phase, trouble, work, messages }) => ({
    ...(isObject(phase) && ('block' in phase || 'reason' in phase) ? { phase } : {}),
    ...(trouble === undefined ? {} : { trouble }),
    ...(isObject(work) && ('guarded' in work || 'leaks' in work || 'conflicts' in work) ? { work } : {}),
    ...(Array.isArray(messages) && messages.some(isOurs) ? { messages } : {}),
  }),
  run: ({ phase }) => (isObject(phase) && 'detail' in phase ? { phase } : {}),
  report: (body) => body,
  workspace: ({ why }) => (why === undefined ? {} : { why }),
  journal: ({ why, data }) => ({ ...(why === undefined ? {} : { why }), ...(data === undefined ? {} : { data }) }),
};

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const isOurs = (message: unknown): boolean => isObject(message) && message['by'] === 'fleet';

const toldIn = (write: Write): Fields =>
  write.op === 'put' && isObject(write.body) ? (TOLD[write.key.kind]?.(write.body) ?? {}) : {};
const saysSomething = (write: Write): boolean => Object.keys(toldIn(write)).length > 0;

function cleaned(write: Write, clean: Clean): Write {
  if (write.op !== 'put' || !saysSomething(write)) return write;
  const { messages, ...told } = toldIn(write);
  const said = Array.isArray(messages) && {
    messages: messages.map((one: unknown) => (isOurs(one) ? mapTexts(one, clean) : one)),
  };
  return { ...write, body: { ...(write.body as Fields), ...mapTexts(told, clean), ...said } };
}

/** The runs whose words a row may hold. */
function runsIn(write: Write): RunId[] {
  if (write.op !== 'put' || !isObject(write.body)) return [];
  const { runId, work, phase } = write.body;
  const holder = isObject(phase) && isObject(phase['holder']) ? phase['holder']['runId'] : undefined;
  const own = write.key.kind === 'run' ? write.key.id : undefined;
  return [own, runId, holder, isObject(work) ? work['runId'] : undefined].filter(
    (id): id is RunId => typeof id === 'string' && id.startsWith('run_'),
  );
}
