import { Fault } from '../../domain/fault.ts';
import type { Settings } from '../../domain/settings.ts';
import type { WebRules } from '../../surfaces/http/web.ts';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

export const isLoopback = (address: string): boolean => /^(127\.\d+\.\d+\.\d+|::1|\[::1\]|localhost)$/.test(address);

/** Past the loopback, tokens would travel in clear and anybody could knock: it takes TLS, here or in front of us. */
export function assertReachable({ bind, tls_cert, tls_key, behind_proxy }: Settings): void {
  if ((tls_cert === undefined) !== (tls_key === undefined))
    throw new Fault('invalid', 'tls_cert and tls_key belong together: give both or neither');
  if (isLoopback(bind) || tls_cert !== undefined || behind_proxy) return;
  throw new Fault('invalid', `bind is ${bind}: others could reach it, and tokens would travel in clear`, {
    hint: 'give tls_cert and tls_key, or say behind_proxy=true when a proxy of yours speaks TLS to the world',
  });
}

/** The same rules as long as nothing they are made from has changed. */
export function rulesMemo(): (settings: Settings, port: number | undefined) => WebRules {
  let last: { settings: Settings; port: number | undefined; rules: WebRules } | undefined;
  return (settings, port) => {
    if (last?.settings !== settings || last.port !== port) last = { settings, port, rules: webRules(settings, port) };
    return last.rules;
  };
}

/** The names under which the server knows itself, as Host headers and as origins. */
function webRules(settings: Settings, port: number | undefined): WebRules {
  const own = port === undefined ? [] : [...LOOPBACK, ...(isLoopback(settings.bind) ? [] : [inUrl(settings.bind)])];
  const withPort = own.flatMap((name) => (port === 80 || port === 443 ? [name, `${name}:${port}`] : [`${name}:${port}`]));
  const hosts = new Set([...withPort, ...settings.allowed_hosts].map((name) => name.toLowerCase()));
  const schemes = settings.tls_cert === undefined && !settings.behind_proxy ? ['http'] : ['http', 'https'];
  const origins = [...withPort, ...settings.allowed_hosts].flatMap((name) => schemes.map((scheme) => `${scheme}://${name}`));
  const rates = { rate: settings.rate_limit, runRate: settings.run_rate_limit };
  return { hosts, origins: new Set([...origins, ...settings.allowed_origins]), ...rates };
}

export const inUrl = (address: string): string => (address.includes(':') && !address.startsWith('[') ? `[${address}]` : address);
