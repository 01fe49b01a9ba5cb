import { Fault } from '../domain/fault.ts';
import { isAlive } from '../platform/process-identity.ts';
import { writeJson } from '../surfaces/cli/answer.ts';
import type { CliProgram, Io } from '../surfaces/cli/deps.ts';
import { programWords } from '../surfaces/cli/parse/program-words.ts';
import { connect } from './connect/connect.ts';
import { assertNoRun } from './connect/surrounding-run.ts';
import { homePaths } from './home.ts';
import { liveFile } from './serve/live-file.ts';

/** Where the server of the home is; one that was killed has left word of where it was. */
async function liveUrl(io: Io): Promise<string | undefined> {
  const live = await liveFile(homePaths(io.env, io.cwd).live);
  return live && (await isAlive(live)) ? live.url : undefined;
}

/** `fleet login`: a link that signs a browser in. It leads to a server, so one must run. */
export const login: CliProgram['run'] = async (args, given) => {
  const { json, io } = programWords('login', args, given, { switches: [], places: 0 });
  if (!io.env['FLEET_URL']) assertNoRun(io.env, io.cwd);
  const base = io.env['FLEET_URL'] || (await liveUrl(io));
  if (base === undefined)
    throw new Fault('unavailable', 'no server of this home listens at a port, so there is nothing to sign in to', {
      hint: 'start one with fleet up --background',
    });
  const { call, close } = await connect(io.env, io.cwd);
  try {
    const { code, expiresAt, name, role } = await call('token.link', {});
    const url = `${base.replace(/\/$/, '')}/login#${code}`;
    await (json
      ? writeJson(io, { url, name, role, expiresAt })
      : io.out(`Open this in a browser within five minutes; it signs in once, as ${name} (${role}):\n\n  ${url}\n\n`));
    return 0;
  } finally {
    await close();
  }
};
