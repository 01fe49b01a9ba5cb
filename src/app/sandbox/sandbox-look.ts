import type { Settings } from '../../domain/settings.ts';
import { runAs } from './run-as.ts';
import { sandboxHere } from './sandbox-here.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What was found holds for this long: a try starts a process. */
const HOLDS_MS = 5_000;

/** Why no sandbox can be made here, for whoever asks for one; undefined when one can. */
export function sandboxLook(env: Env, settings: () => Settings): () => Promise<string | undefined> {
  let last: { readonly at: number; readonly why: Promise<string | undefined> } | undefined;
  return () => {
    if (!last || performance.now() - last.at > HOLDS_MS) last = { at: performance.now(), why: problemNow(env, settings()) };
    return last.why;
  };
}

async function problemNow(env: Env, settings: Settings): Promise<string | undefined> {
  const here = await sandboxHere(env);
  if (here.works) {
    const as = await runAs(settings, { mounts: [], home: '/', rootAlone: here.rootAlone });
    return 'why' in as ? `no sandbox can be made here: ${as.why}` : undefined;
  }
  return `no sandbox can be made here: ${here.why}${here.repair === undefined ? '' : `; try: ${here.repair}`}`;
}
