import { sandboxHere } from './sandbox-here.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What was found holds for this long: a try starts a process. */
const HOLDS_MS = 5_000;

/** Why no sandbox can be made here, for whoever asks for one; undefined when one can. */
export function sandboxLook(env: Env): () => Promise<string | undefined> {
  let last: { readonly at: number; readonly why: Promise<string | undefined> } | undefined;
  return () => {
    if (!last || performance.now() - last.at > HOLDS_MS) last = { at: performance.now(), why: problemNow(env) };
    return last.why;
  };
}

async function problemNow(env: Env): Promise<string | undefined> {
  const here = await sandboxHere(env);
  if (here.works) return undefined;
  return `no sandbox can be made here: ${here.why}${here.repair === undefined ? '' : `; try: ${here.repair}`}`;
}
