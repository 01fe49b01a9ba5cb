import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { routes } from 'virtual:routes';
import type { Call } from '../../contract/call.ts';
import { Fault } from '../../domain/fault.ts';
import { type GivenSettings, settingsInEnv } from '../../domain/setting-reach.ts';
import type { CliConnection, CliEnv } from '../../surfaces/cli/deps.ts';
import { clientCall } from '../../wire/client.ts';
import { adminToken } from '../auth/token-file.ts';
import { homePaths } from '../home.ts';
import { liveFile } from '../serve/live-file.ts';
import { VERSION } from '../version.ts';
import { ofRun, runHere } from './of-run.ts';
import { NobodyThere, sendTo } from './send.ts';

/** What is asked of files of this machine, also when a server runs. */
const LOCAL = /^(home|db)\./;

/**
 * The way to the operations: over the wire to the fleet that FLEET_URL names, else inside of a run as that run, else to the
 * live server of the home, else in this process. A server that is not there, or stands still, is done without: the house is opened instead. A command
 * that it may have heard has a key, so that it is carried out once, by whichever of the two.
 */
export async function connect(env: CliEnv, cwd: string): Promise<CliConnection> {
  const url = env['FLEET_URL'];
  const given = meantFrom(cwd, settingsInEnv(env));
  if (url !== undefined && url !== '') return remote(url, env, given);
  const run = runHere(env, cwd);
  if (run) return ofRun(run);
  const house = whenNeeded(async () => (await import('../open-services.ts')).openServices(env, cwd));
  let live = await liveCall(env, cwd, given);
  const call = async (...[name, input, wished]: Parameters<Call>) => {
    const isCommand = routes[name]?.method !== 'GET';
    const isAsked = live !== undefined && !LOCAL.test(name);
    // What is asked of files needs no key: it would be looked up in a database that may be what is to be repaired.
    const options = isAsked && isCommand && wished?.key === undefined ? { ...wished, key: randomUUID() } : wished;
    if (live && isAsked) {
      try {
        return await live.call(name, input, options);
      } catch (error) {
        if (!(error instanceof NobodyThere)) throw error;
        live = undefined;
      }
    }
    return (await house.opened()).callWith(given)(name, input, options);
  };
  const close = async () => {
    live?.close();
    await house.close();
  };
  return { call: call as Call, close };
}

async function liveCall(env: CliEnv, cwd: string, given: GivenSettings): Promise<{ call: Call; close(): void } | undefined> {
  const paths = homePaths(env, cwd);
  const live = await liveFile(paths.live);
  // Another version may speak of other things: the store is the same for both.
  if (live?.version !== VERSION) return undefined;
  const token = await adminToken(paths.adminToken);
  if (token === undefined) return undefined;
  const person = env['FLEET_PERSON'];
  const { send, close } = sendTo({ socket: live.socket, token, as: person === '' ? undefined : person, settings: given });
  return { call: clientCall(routes, send), close };
}

/** Directories are named from where the caller stands, which the server does not know. */
function meantFrom(cwd: string, { allowed_repos: text, ...given }: GivenSettings): GivenSettings {
  if (text === undefined) return given;
  const named = text.trimStart().startsWith('[') ? jsonOf(text) : text.split(',').map((part) => part.trim());
  // What is no list of texts is refused by whoever reads it.
  if (!Array.isArray(named) || !named.every((path) => typeof path === 'string')) return { ...given, allowed_repos: text };
  return { ...given, allowed_repos: JSON.stringify(named.filter((path) => path !== '').map((path) => resolve(cwd, path))) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Who one is there its token says. */
function remote(url: string, env: CliEnv, given: GivenSettings): CliConnection {
  const { person: _, ...settings } = given;
  const token = env['FLEET_TOKEN'];
  if (token === undefined || token === '')
    throw new Fault('unauthenticated', 'FLEET_URL is set and FLEET_TOKEN is not: a token is needed', {
      hint: '`fleet token create` makes one on the machine of that fleet',
    });
  const { send, close } = sendTo({ url, token, settings });
  return { call: clientCall(routes, send), close: async () => close() };
}

function whenNeeded<House extends { close(): Promise<void> }>(open: () => Promise<House>) {
  let opening: Promise<House> | undefined;
  return {
    opened: () => {
      opening ??= open();
      return opening;
    },
    close: async () => {
      const house = await opening?.catch(() => undefined);
      await house?.close();
    },
  };
}
