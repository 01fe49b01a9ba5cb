import type { Abilities, Launch, Program } from '../../domain/agent/executor.ts';
import type { Job } from '../executor.ts';
import type { AcpState } from './state.ts';
import type { AcpStep } from './updates.ts';

type Fields = Readonly<Record<string, unknown>>;

/** How one agent program differs from the plain protocol. */
export interface AcpAgent {
  readonly name: string;
  readonly can: Abilities;
  readonly program?: Program;
  readonly versionArgs?: readonly string[];
  readonly contextLimit?: number;
  /** The command a person types to sign in. */
  readonly login: string;
  /** The launch without its mode, which is always two-way: the protocol runs over standard input and output. */
  launch(job: Job): Omit<Launch, 'mode'>;
  /** Whether the command line chooses the model; otherwise a request in the conversation does. */
  readonly modelAtLaunch: boolean;
  /** Whether the command line names Fleet's MCP server; otherwise the request that opens the conversation does. */
  readonly mcpAtLaunch?: boolean;
  /** For a program that replays a loaded conversation after it reports it loaded: a prompt it answers itself, after the replay. */
  readonly promptAfterReplay?: string;
  /** The MCP tool in a permission request, as `mcp__SERVER__TOOL`; undefined for any other call. */
  serverToolIn?(call: Fields): string | undefined;
  /** The command in a permission request, if it is in no field of the protocol. */
  commandIn?(call: Fields): string | undefined;
  /** Whether a denied permission ends the turn, whatever the agent says after it. */
  readonly endsTurnOnDenial?: boolean;
  /** Whether every turn reports its usage, except a failed one. */
  readonly failsWithoutUsage?: boolean;
  /** The HTTP status of the provider in an error, if it is in no usual field. */
  statusIn?(error: Fields): number | undefined;
  /** The usage of a turn, if it is in no field of the protocol. */
  usageIn?(result: Fields): AcpUsage | undefined;
  /** Handlers of the program's own notifications, by method. */
  readonly notificationHandlers?: Readonly<Record<string, (state: AcpState, params: Fields) => AcpStep>>;
  /** Whether the program's own notifications report the usage of each request to the model. */
  readonly reportsSteps?: boolean;
}

export interface AcpUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
  readonly model?: string;
}
