import { type Fault, isFault } from '../../domain/fault.ts';
import type { Io } from './deps.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { plain } from './terminal/plain.ts';

/** One JSON value on standard output, laid out when a person looks. */
export const writeJson = async (io: Io, value: unknown): Promise<void> =>
  io.out(`${JSON.stringify(value, null, io.isTty ? 2 : undefined)}\n`);

/** Says what went wrong on standard error and returns the exit code for it. */
export async function writeError(io: Io, met: unknown, json: boolean): Promise<number> {
  const error = isFault(met) ? met : (await import('../../domain/no-space.ts')).toNoSpaceFault(met);
  if (hasCode(error, 'EPIPE')) return EXIT_CODES.ok;
  if (isNamed(error, 'AbortError')) return EXIT_CODES.interrupted;
  if (json) await io.err(`${JSON.stringify({ error: wireError(error) })}\n`);
  else await io.err(isFault(error) ? faultText(error) : bugText(error, io));
  return isFault(error) ? EXIT_CODES[error.code] : EXIT_CODES.bug;
}

function wireError(error: unknown): { code: string; message: string; details: unknown } {
  if (isFault(error)) return { code: error.code, message: error.message, details: error.details };
  return { code: 'bug', message: messageOf(error), details: {} };
}

function faultText({ code, message, details }: Fault): string {
  const hint = details['hint'] ?? HINTS[code];
  return `fleet: ${plain(message)}\n${typeof hint === 'string' ? `       ${plain(hint)}\n` : ''}`;
}

const HINTS: Readonly<Partial<Record<Fault['code'], string>>> = {
  unavailable: 'if this goes on, `fleet db check` and `fleet status` tell more',
};

function bugText(error: unknown, { env }: Io): string {
  const stack = error instanceof Error && env['FLEET_DEBUG'] ? `${plain(error.stack ?? '')}\n` : '';
  return `fleet: this is a fault in Fleet, not in your command: ${plain(messageOf(error))}\n${stack || '       FLEET_DEBUG=1 shows where\n'}`;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name;
const hasCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code;
