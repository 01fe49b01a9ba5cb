import { describe, expect, it } from 'vitest';
import { endpointIn, isAllowed } from './allowed.ts';

const reaches = (target: string, ...rules: string[]): boolean => {
  const endpoint = endpointIn(target);
  return endpoint !== undefined && isAllowed(endpoint, rules);
};

describe('a host that is allowed', () => {
  it('is one of the rules, at the ports of the web or the port that was said', () => {
    expect(reaches('api.example.org:443', 'api.example.org')).toBe(true);
    expect(reaches('api.example.org:80', 'api.example.org')).toBe(true);
    expect(reaches('api.example.org:22', 'api.example.org')).toBe(false);
    expect(reaches('api.example.org:8443', 'api.example.org:8443')).toBe(true);
    expect(reaches('api.example.org:443', 'api.example.org:8443')).toBe(false);
    expect(reaches('API.Example.ORG.:443', 'api.example.org')).toBe(true);
    expect(reaches('[::1]:8080', '[::1]:8080')).toBe(true);
  });

  it('lies below a name that stands for all below it, and not beside it', () => {
    expect(reaches('a.example.org:443', '*.example.org')).toBe(true);
    expect(reaches('a.b.example.org:443', '*.example.org')).toBe(true);
    expect(reaches('example.org:443', '*.example.org')).toBe(false);
    expect(reaches('evilexample.org:443', '*.example.org')).toBe(false);
    expect(reaches('example.org.evil.net:443', 'example.org', '*.example.org')).toBe(false);
  });

  it.each([
    '127.0.0.1:443',
    '127.1:443',
    '2130706433:443',
    '[::ffff:127.0.0.1]:443',
    'localhost:443',
    'user@api.example.org:443',
    'api.example.org:443/x',
    ' api.example.org:443',
    '',
    ':443',
  ])('%j is not reached by the name of another', (target) =>
    expect(reaches(target, 'api.example.org', '*.example.org')).toBe(false),
  );
});
