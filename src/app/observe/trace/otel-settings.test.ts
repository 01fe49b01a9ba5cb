import { describe, expect, it } from 'vitest';
import { otelSettings } from './otel-settings.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };
const read = (env: Record<string, string>) => otelSettings(env, '1.2.3');

describe('the variables of OpenTelemetry', () => {
  it('ask for nothing when none is set, or when they say so', () => {
    expect(read({})).toBeUndefined();
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeUndefined();
    expect(read({ ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' })).toBeUndefined();
    expect(read({ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
  });

  it('name an endpoint for everything, or one for traces that is used as it is', () => {
    expect(read(ENDPOINT)?.url).toBe('http://localhost:4318/v1/traces');
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c.example/otlp/' })?.url).toBe('https://c.example/otlp/v1/traces');
    expect(read({ ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t:1/x' })?.url).toBe('http://t:1/x');
  });

  it('give headers, a time limit, and who we are', () => {
    const settings = read({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b, x = 1',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '500',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=from attributes,team=reds',
    });
    expect(settings).toMatchObject({
      headers: { 'api-key': 'a b', x: '1' },
      timeoutMs: 500,
      resource: { 'service.name': 'from attributes', team: 'reds', 'service.version': '1.2.3' },
    });
    expect(read(ENDPOINT)?.resource['service.name']).toBe('fleet');
    const named = { ...ENDPOINT, OTEL_SERVICE_NAME: 'mine', OTEL_RESOURCE_ATTRIBUTES: 'service.name=other' };
    expect(read(named)?.resource['service.name']).toBe('mine');
  });

  it('are refused with a reason, and never with a secret', () => {
    expect(() => read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost' })).toThrow(/expected an address/);
    expect(() => read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://x' })).toThrow(/http:/);
    expect(() => read({ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toThrow(/http\/json/);
    expect(() => read({ ...ENDPOINT, OTEL_EXPORTER_OTLP_TIMEOUT: 'soon' })).toThrow(/milliseconds/);
    for (const headers of ['s3cr3t', 'key=s3cr3t%zz', '=s3cr3t'])
      try {
        read({ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: headers });
        expect.unreachable();
      } catch (error) {
        expect(String(error)).not.toContain('s3cr3t');
      }
  });
});
