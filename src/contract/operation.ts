import type { z } from 'zod';
import type { Role } from '../domain/authority.ts';
import type { FaultCode } from '../domain/fault.ts';

export interface Operation {
  /** `noun.verb`: the CLI path, the route, the tool and the client method all come from it. */
  readonly name: `${string}.${string}`;
  /** query: safe to repeat. command: changes state. stream: yields outputs until the caller stops. */
  readonly kind: 'query' | 'command' | 'stream';
  readonly role: Role;
  readonly summary: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  readonly faults: readonly FaultCode[];
  /**
   * Its answer is made of rows, and of what may be a moment old: settings, the hour, what is installed. So it may be given
   * again until somebody commits. Nothing of git, of a spool or of a process is in it.
   */
  readonly ofRows?: true;
  /** Its handler answers `output` to the letter: tests hold it to that, and no call pays for checking it again. */
  readonly exact?: true;
}

export const operation = <const Definition extends Operation>(definition: Definition): Definition => definition;
