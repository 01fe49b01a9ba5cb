import { Fault } from '../../../domain/fault.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where traces go, as the standard variables of OpenTelemetry say it. */
export interface OtelSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** What describes this fleet among others. */
  readonly resource: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 10_000;

/** Undefined when nobody asked for traces: then nothing of tracing is loaded. */
export function otelSettings(env: Env, version: string): OtelSettings | undefined {
  const of = (name: string): string | undefined =>
    env[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`] || undefined;
  const endpoint = of('ENDPOINT');
  if (endpoint === undefined || env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none')
    return undefined;
  const protocol = of('PROTOCOL') ?? 'http/json';
  if (protocol !== 'http/json')
    throw new Fault('invalid', `OTEL_EXPORTER_OTLP_PROTOCOL is ${JSON.stringify(protocol)}: Fleet speaks http/json`, {
      hint: 'collectors take it at the same port as http/protobuf; unset the variable or say http/json',
    });
  return {
    url: addressOf(endpoint, Boolean(env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])),
    headers: pairs(of('HEADERS'), 'OTEL_EXPORTER_OTLP_HEADERS'),
    timeoutMs: timeoutOf(of('TIMEOUT')),
    resource: {
      ...pairs(env['OTEL_RESOURCE_ATTRIBUTES'], 'OTEL_RESOURCE_ATTRIBUTES'),
      ...(env['OTEL_SERVICE_NAME'] ? { 'service.name': env['OTEL_SERVICE_NAME'] } : {}),
      ...serviceName(env),
      'service.version': version,
      'telemetry.sdk.name': 'fleet',
      'telemetry.sdk.language': 'nodejs',
      'telemetry.sdk.version': version,
    },
  };
}

const serviceName = (env: Env): Record<string, string> =>
  env['OTEL_SERVICE_NAME'] || /(^|,)\s*service\.name=/.test(env['OTEL_RESOURCE_ATTRIBUTES'] ?? '')
    ? {}
    : { 'service.name': 'fleet' };

/** An endpoint for traces is used as it is; one for everything gets the path of traces. */
function addressOf(endpoint: string, isForTraces: boolean): string {
  let url: URL;
  try {
    url = new URL(endpoint);
  } catch {
    throw new Fault(
      'invalid',
      `OTEL_EXPORTER_OTLP_ENDPOINT is ${JSON.stringify(endpoint)}: expected an address like http://localhost:4318`,
    );
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Fault('invalid', `OTEL_EXPORTER_OTLP_ENDPOINT is ${JSON.stringify(endpoint)}: expected http:// or https://`);
  if (!isForTraces) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url.href;
}

/** `name=value,name=value`, each percent-encoded. What is wrong is said without its value, which may be a secret. */
function pairs(text: string | undefined, variable: string): Record<string, string> {
  const found: [string, string][] = [];
  for (const pair of (text ?? '').split(',').filter((part) => part.trim() !== '')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0)).trim();
    if (name === '') throw new Fault('invalid', `${variable}: expected name=value pairs with commas between them`);
    found.push([decoded(name, variable), decoded(pair.slice(at + 1).trim(), variable)]);
  }
  return Object.fromEntries(found);
}

function decoded(text: string, variable: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Fault('invalid', `${variable} holds a % that is not followed by two hexadecimal digits`);
  }
}

function timeoutOf(text: string | undefined): number {
  if (text === undefined) return TIMEOUT_MS;
  const ms = Number(text);
  if (!Number.isInteger(ms) || ms < 1 || ms > 600_000)
    throw new Fault('invalid', `OTEL_EXPORTER_OTLP_TIMEOUT is ${JSON.stringify(text)}: expected milliseconds from 1 to 600000`);
  return ms;
}
