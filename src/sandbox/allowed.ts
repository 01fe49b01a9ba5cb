/** A place in the network. */
export interface NetworkEndpoint {
  readonly host: string;
  readonly port: number;
}

const WEB_PORTS = [80, 443];

/**
 * Whether rules allow an endpoint. A rule is a host, `*.host` for all names below it, and perhaps `:port`; without a port
 * it holds for the ports of the web. Names are compared as they are written, so an address must be allowed as an address.
 */
export const isAllowed = ({ host, port }: NetworkEndpoint, rules: readonly string[]): boolean =>
  rules.some((rule) => {
    const wanted = endpointIn(rule);
    return (
      wanted !== undefined &&
      (wanted.port === 0 ? WEB_PORTS.includes(port) : wanted.port === port) &&
      fits(plain(host), wanted.host)
    );
  });

const fits = (host: string, wanted: string): boolean =>
  wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) && host.length >= wanted.length : host === wanted;

/** `host`, `host:port` or `[address]:port`; port 0 where none is said. */
export function endpointIn(text: string): NetworkEndpoint | undefined {
  const found = /^(?:\[([0-9a-f:.]+)\]|([^\s:/@[\]]+))(?::(\d{1,5}))?$/i.exec(text);
  const host = found?.[1] ?? found?.[2];
  return host === undefined ? undefined : { host: plain(host), port: Number(found?.[3] ?? 0) };
}

const plain = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
