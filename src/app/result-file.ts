import { LIMITS } from '../domain/limits.ts';
import type { ReportSources } from '../domain/work/report.ts';
import { type AgentPath, below } from '../platform/agent-path.ts';
import { type NotRead, openSafely, readSafely } from '../platform/read-safely.ts';
import { LONGEST_BLOCK } from '../redact/block.ts';

/**
 * What an agent has left as its result. The file is the agent's: it may be a link, a pipe, far too long, or nonsense, and
 * none of that may block us, be followed, or be believed.
 */
export async function readResult(runDirectory: AgentPath, redact: (text: string) => string): Promise<ReportSources['file']> {
  // In a sandbox the run directory it sees is another one.
  return (await resultIn(runDirectory, redact)) ?? resultIn(below(runDirectory, 'box'), redact);
}

async function resultIn(directory: AgentPath, redact: (text: string) => string): Promise<ReportSources['file']> {
  const read = await readSafely(below(directory, 'result.json'), LIMITS.resultBytes.value);
  if ('bytes' in read) return parsed(redact(read.bytes.toString('utf8')));
  return read.why === 'absent' ? undefined : { problem: `invalid_result: result.json ${PROBLEMS[read.why]}` };
}

const PROBLEMS: Readonly<Record<Exclude<NotRead, 'absent'>, string>> = {
  link: 'cannot be read (it is a link, or lies behind one)',
  pipe: 'is not a regular file but a pipe',
  directory: 'is not a regular file but a directory',
  other: 'is not a regular file',
  shared: 'is the same file as another elsewhere',
  large: `is too long: at most ${LIMITS.resultBytes.value} bytes are read`,
  refused: 'cannot be read (permission is denied)',
};

function parsed(text: string): ReportSources['file'] {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { value } : { problem: 'invalid_result: result.json holds no JSON object' };
  } catch {
    return { problem: `invalid_result: result.json is not JSON: it begins with ${JSON.stringify(text.slice(0, 40))}` };
  }
}

/** The end of what a run printed on both streams. */
export async function lastOutput(runDirectory: AgentPath, redact: (text: string) => string, mostBytes?: number): Promise<string> {
  const [out, err] = await Promise.all(['out', 'err'].map((stream) => tailOf(below(runDirectory, stream), redact, mostBytes)));
  return [out, err].filter((text) => text !== '').join('\n');
}

/** The end of what a run printed where errors go. */
export const lastError = (runDirectory: AgentPath, redact: (text: string) => string): Promise<string> =>
  tailOf(below(runDirectory, 'err'), redact);

/** More is read than is shown: what is cut first would not be seen to be a secret. */
async function tailOf(path: AgentPath, redact: (text: string) => string, most = LIMITS.evidenceBytes.value): Promise<string> {
  const opened = await openSafely(path);
  if ('why' in opened) return '';
  await using handle = opened.file;
  const { size } = opened;
  const length = Math.min(size, most + LONGEST_BLOCK);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  const read = buffer.toString('utf8', 0, bytesRead);
  const text = redact(size > length ? fromWholeLine(read) : read);
  return (text.length > most ? fromWholeLine(text.slice(-most)) : text).trimEnd();
}

/** Begins with a whole line, unless there is only one. */
const fromWholeLine = (text: string): string => text.slice(text.indexOf('\n') + 1);
