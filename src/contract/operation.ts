import type { z } from 'zod';
import type { Role } from '../domain/authority.ts';
import type { FaultCode } from '../domain/fault.ts';

export interface Operation {
  /** `noun.verb`, from which the CLI command, the route, the tool and the client method are derived. */
  readonly name: `${string}.${string}`;
  /** query: safe to repeat. command: changes state. stream: yields outputs until the caller stops. */
  readonly kind: 'query' | 'command' | 'stream';
  readonly role: Role;
  readonly summary: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  readonly faults: readonly FaultCode[];
  /**
   * The answer depends only on rows and on facts that may be a moment old, such as settings, the time and installed programs. So
   * the server may give the same answer again until the next commit. It must not depend on git, a spool or a process.
   */
  readonly ofRows?: true;
  /** The handler's answer matches `output` exactly. Tests prove it, so calls do not validate the answer. */
  readonly exact?: true;
}

export const operation = <const Definition extends Operation>(definition: Definition): Definition => definition;
