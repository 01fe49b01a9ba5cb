import { setImmediate } from 'node:timers/promises';
import { isFault } from '../domain/fault.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Project } from '../domain/project/project.ts';
import type { RunId } from '../domain/values.ts';
import type { Redactor } from '../redact/redactor.ts';
import { type AddedText, addedTexts } from '../workspace/history/added-texts.ts';
import type { RunSecrets } from './run-secrets.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Secrets = Pick<RunSecrets, 'redactorFor'>;

const MOST_SHOWN = 10;

/**
 * Where commits hold a secret that these agents had, in whatever commit and whatever form the redactor knows: values alone,
 * nothing that merely looks like one, so that test data lands as before.
 */
export const leaksIn =
  (secrets: Secrets, env: Env) =>
  async (
    project: Project,
    span: { readonly base: string; readonly tip: string },
    runIds: readonly RunId[],
  ): Promise<string[]> => {
    const known = await knownTo(secrets, runIds);
    if (typeof known === 'string') return [`perhaps in it: ${known}`];
    if (known.length === 0) return [];
    const maxBytes = LIMITS.leakSearchBytes.value;
    const added = await addedTexts(project.path, { ...span, maxBytes }, env);
    if (!added) return [`perhaps in it: its commits add more than ${maxBytes >> 20} MB, which is not searched`];
    const places = new Set<string>();
    for (const one of added) if (await holdsOne(one, known)) places.add(placeOf(one));
    const shown = [...places].slice(0, MOST_SHOWN);
    return places.size > shown.length ? [...shown, `in ${places.size - shown.length} places more`] : shown;
  };

const placeOf = ({ path }: AddedText): string => (path === undefined ? 'in what a commit says' : `in ${path}`);

/** Most agents have the same secrets, and what takes them out is one thing then. */
async function knownTo(secrets: Secrets, runIds: readonly RunId[]): Promise<readonly Redactor[] | string> {
  try {
    const all = await Promise.all(runIds.map(secrets.redactorFor));
    return [...new Set(all)].filter(({ knowsAny }) => knowsAny);
  } catch (error) {
    if (isFault(error)) return error.message;
    throw error;
  }
}

/** So much is looked through before others have their turn. */
const PIECE = 256 * 1_024;

async function holdsOne({ path, text }: AddedText, known: readonly Redactor[]): Promise<boolean> {
  const whole = path === undefined ? text : `${path}\n${text}`;
  const overlap = Math.max(...known.map(({ reach }) => reach));
  for (let at = 0; at < whole.length; at += PIECE) {
    const piece = whole.slice(at, at + PIECE + overlap);
    if (known.some((one) => one.known(piece) !== piece)) return true;
    await setImmediate();
  }
  return false;
}
