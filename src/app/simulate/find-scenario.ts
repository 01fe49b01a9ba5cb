import { readFile } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import { nearest } from '../../platform/nearest.ts';
import { builtInScenarios } from '../../simulate/scenario/built-in.ts';
import { ModelScenarioError, parseScenario } from '../../simulate/scenario/parse-scenario.ts';
import type { ModelScenario } from '../../simulate/scenario/scenario.ts';

export interface NamedScenario {
  /** As it stands in the address of its model. */
  readonly name: string;
  readonly scenario: ModelScenario;
}

/** One that everybody has, by its name, or one of the user's own, by its file. */
export async function findScenario(wanted: string, cwd: string): Promise<NamedScenario> {
  const known = builtInScenarios();
  const scenario = Object.hasOwn(known, wanted) ? known[wanted] : undefined;
  if (scenario) return { name: wanted, scenario };
  const text = await readFile(resolve(cwd, wanted), 'utf8').catch((error: NodeJS.ErrnoException) => {
    const meant = nearest(wanted, Object.keys(known));
    throw new Fault(
      'not_found',
      `no scenario and no file is called ${wanted}${error.code === 'ENOENT' ? '' : `: ${error.message}`}`,
      {
        hint: meant === undefined ? 'see fleet simulate --list' : `did you mean ${meant}? see fleet simulate --list`,
      },
    );
  });
  if (Buffer.byteLength(text) > LIMITS.promptBytes.value)
    throw new Fault('limit', `${wanted} has more than ${LIMITS.promptBytes.value} bytes`);
  try {
    return { name: basename(wanted, extname(wanted)).replaceAll(/[^\w-]/g, '-') || 'scenario', scenario: parseScenario(text) };
  } catch (error) {
    if (!(error instanceof ModelScenarioError)) throw error;
    throw new Fault('invalid', `${wanted}: ${error.message}`, { hint: 'steps and faults are told in docs/guide/simulate.md' });
  }
}
