import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunId, TaskId } from '../domain/values.ts';
import { type ReportSources, reportOf } from '../domain/work/report.ts';
import { belowPlace } from '../platform/agent-path.ts';
import { redactor } from '../redact/redactor.ts';
import { lastOutput, readResult } from './result-file.ts';

async function runDirectory() {
  const directory = await mkdtemp(join(tmpdir(), 'fleet-result-'));
  return {
    file: join(directory, 'result.json'),
    read: () => readResult(belowPlace(directory), (text) => text.replaceAll('hunter2', '***')),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

const report = (file: ReportSources['file']) =>
  reportOf({
    runId: RunId.parse('run_01m7hc1282k88jen33t581e7bp'),
    taskId: TaskId.parse('task_01m7hc10bzycgjrvdmabkp692d'),
    at: '2030-01-01T00:00:00.000Z' as ReportSources['at'],
    file,
  });

const WHOLE = JSON.stringify({
  status: 'done',
  summary: 'ünï𝔠ode '.repeat(20),
  done: ['a', 'b'],
  tests: [{ command: 'npm test', status: 'passed', details: 'x'.repeat(300) }],
  files: ['a.txt'],
  preview_url: 'http://localhost:3000/',
});

describe('a result file [R31]', () => {
  it('cut off after any byte gives a report that says so, or is whole', async () => {
    await using place = await runDirectory();
    const bytes = Buffer.from(WHOLE);
    for (let length = 0; length <= bytes.length; length += 1) {
      await writeFile(place.file, bytes.subarray(0, length));
      const read = await place.read();
      const made = report(read);
      expect({ length, channel: made.channel, doubts: made.doubts.length }).toEqual(
        length === bytes.length ? { length, channel: 'file', doubts: 0 } : { length, channel: 'salvage', doubts: 1 },
      );
    }
  });

  it.each([
    ['null'],
    ['[]'],
    ['"done"'],
    ['42'],
    [
      '{"status":7,"summary":[],"done":{"a":1},"tests":"none","files":[null,1,{}],"errors":true,"preview_url":"javascript:alert(1)"}',
    ],
    ['{"__proto__":{"status":"done"},"constructor":1}'],
    [`${'['.repeat(200_000)}`],
    [`{"summary":${JSON.stringify('x'.repeat(900_000))}}`],
    ['\ufeff{"status":"done"}'],
  ])('of a wrong shape is not believed and breaks nothing: %.40s', async (text) => {
    await using place = await runDirectory();
    await writeFile(place.file, text);
    const made = report(await place.read());
    expect(made.status).toBe('unknown');
    expect(made.previewUrl).toBeUndefined();
    expect(JSON.stringify(made).length).toBeLessThan(20_000);
  });

  it('that is huge, a pipe, a link, a directory, or not to be read is named and not opened further', async () => {
    const problems: Record<string, string> = {};
    const seen = async (name: string, prepare: (file: string) => Promise<unknown>) => {
      await using place = await runDirectory();
      await prepare(place.file);
      const read = await place.read();
      problems[name] = read && 'problem' in read ? read.problem : JSON.stringify(read);
    };
    await seen('sparse', async (file) => {
      await writeFile(file, '{');
      await truncate(file, 100 * 1024 * 1024);
    });
    await seen('pipe', async (file) => spawnSync('mkfifo', [file]));
    await seen('link', (file) => symlink('/etc/passwd', file));
    await seen('dangling', (file) => symlink('/nowhere', file));
    await seen('device', (file) => symlink('/dev/zero', file));
    await seen('directory', (file) => mkdir(file));
    for (const [name, problem] of Object.entries(problems))
      expect({ name, problem }).toEqual({ name, problem: expect.stringMatching(/^invalid_result: /) });
    expect(problems['link']).toContain('it is a link');
    expect(Object.values(problems).join()).not.toContain('root:');
  });

  it('that is missing is no fault, and a secret in it does not leave it', async () => {
    await using place = await runDirectory();
    expect(await place.read()).toBeUndefined();
    await writeFile(place.file, '{"summary":"the password is hunter2"}');
    expect(report(await place.read()).summary).toBe('the password is ***');
  });
});

describe('the end of what a run printed', () => {
  it('shows nothing of a secret of which the beginning is not shown', async () => {
    await using place = await runDirectory();
    const key = [
      '-----BEGIN RSA PRIVATE KEY-----',
      ...Array.from({ length: 300 }, () => randomBytes(48).toString('base64')),
      '-----END RSA PRIVATE KEY-----',
    ];
    await writeFile(join(dirname(place.file), 'out'), [...key, 'it failed', ''].join('\n'));
    await writeFile(join(dirname(place.file), 'err'), `${'x '.repeat(50_000)}\nwhat a pity\n`);
    expect(await lastOutput(belowPlace(dirname(place.file)), redactor([]))).toMatch(/^\[redacted\]\nit failed\nwhat a pity$/);
  });
});
