import { startHelper } from '../sandbox/helper.ts';
import type { Confine } from '../workspace/private/confine.ts';
import { belongings } from './sandbox/paths-here.ts';
import { sandboxHere } from './sandbox/sandbox-here.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Programs of Fleet's own that look at what agents made run as confined as these, where a sandbox can be made. */
export const confineOf =
  (env: Env): Confine =>
  async (box) => {
    const here = await sandboxHere(env);
    if (!here.works) return undefined;
    const programs = box.programs.flatMap(belongings);
    return startHelper({ ...box, programs, bwrap: here.path }, ['ignore', 'pipe', 'pipe', 'pipe']);
  };
