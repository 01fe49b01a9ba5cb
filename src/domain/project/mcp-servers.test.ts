import { describe, expect, it } from 'vitest';
import { PRESETS } from '../agent/tools.ts';
import { assertServers, attachedServers, isServerTool, resolvedServer } from './mcp-servers.ts';

describe('the MCP servers of a project', () => {
  const declared = { docs: { command: 'docs' }, far: { url: 'https://far.example/mcp' } };
  const names = (tools: readonly string[] | undefined, contextMode = false) =>
    Object.keys(attachedServers(declared, { tools, contextMode }));

  it('all go to an agent that may do everything, and to others only if their tools name them [AUTO-08]', () => {
    for (const tools of [undefined, PRESETS.full, PRESETS.implement]) expect(names(tools)).toEqual(['docs', 'far']);
    for (const tools of [PRESETS.review, PRESETS.test, PRESETS.explore]) expect(names(tools, true)).toEqual([]);
    expect(names([...PRESETS.review, 'mcp__far__*'])).toEqual(['far']);
    expect(names(undefined, true)).toEqual(['context-mode', 'docs', 'far']);
    expect(names([...PRESETS.review, 'mcp__context-mode__*'], true)).toEqual(['context-mode']);
  });

  it('of an older version are left out if no run could use them', () => {
    const old = { 'with space': { command: 'x' }, fleet: { command: 'x' }, empty: {}, good: { command: 'x' } };
    expect(Object.keys(attachedServers(old, { tools: undefined, contextMode: false }))).toEqual(['good']);
  });

  it('may have names and fields that every agent program accepts', () => {
    expect(() => assertServers({ 'a_B-1': { command: 'x', args: ['y'], env: { K: '${env:KEY}' } } })).not.toThrow();
    expect(() => assertServers({ a: { url: 'http://x', headers: { authorization: 'Bearer ${file:/run/key}' } } })).not.toThrow();
    expect(() => assertServers({ a: { url: 'http://x', env: {} } })).toThrow('args and env belong to a command');
    expect(() => assertServers({ a: {} })).toThrow('either a command or a url');
    expect(() => assertServers({ 'a b': { command: 'x' } })).toThrow('begin its name with a letter');
    for (const K of ['${file:relative}', '${env:FLEET_TOKEN}', '${env:a b}'])
      expect(() => assertServers({ a: { command: 'x', env: { K } } })).toThrow(`${K} refers to nothing`);
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`s${at}`, { command: 'x' }]));
    expect(() => assertServers(many)).toThrow('a project may have 16');
  });

  it('get the values of their references, and an unresolved reference is named in the error [AUTO-08]', () => {
    const server = { command: 'x', env: { A: 'Bearer ${env:KEY}', B: '${file:/k}', C: '$PLAIN ${other}' } };
    const values: Record<string, string> = { 'env:KEY': 'one$&', 'file:/k': 'two' };
    const lookUp = (kind: string, target: string) => values[`${kind}:${target}`];
    expect(resolvedServer(server, lookUp).env).toEqual({ A: 'Bearer one$&', B: 'two', C: '$PLAIN ${other}' });
    expect(() => resolvedServer(server, () => undefined)).toThrow('${env:KEY} is not set where the engine runs');
  });

  it('own the tools that carry their name', () => {
    expect(isServerTool(['mcp__docs__*'], 'mcp__docs__find')).toBe(true);
    expect(isServerTool(['mcp__docs__*'], 'mcp__docs2__find')).toBe(false);
    expect(isServerTool(['Read'], 'mcp__docs__find')).toBe(false);
  });
});
