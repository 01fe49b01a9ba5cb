import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { contract } from '../src/contract/index.ts';
import { FAULT_CODES } from '../src/domain/fault.ts';
import { handlers } from '../src/operations/handlers.ts';

describe('every operation', () => {
  it('has a name of its own', () => expect(new Set(contract.map(({ name }) => name)).size).toBe(contract.length));
  it('has a handler, and no handler is without an operation', () =>
    expect(Object.keys(handlers).toSorted()).toEqual(contract.map(({ name }) => name).toSorted()));

  for (const { name, summary, input, output, faults, kind } of contract) {
    describe(name, () => {
      it('is called noun.verb', () => expect(name).toMatch(/^[a-z]+\.[a-z]+$/));
      it('reads as one sentence', () => expect(summary).toMatch(/^[A-Z][^\n]{10,110}\.$/));
      it('can be said in JSON', () => {
        expect(z.toJSONSchema(input, { io: 'input' })).toMatchObject({ type: 'object', additionalProperties: false });
        z.toJSONSchema(output, { io: 'output' });
      });
      it('explains every field', () => {
        const { properties = {} } = z.toJSONSchema(input, { io: 'input' });
        const unexplained = Object.entries(properties).filter(([, field]) => typeof field === 'boolean' || !field.description);
        expect(unexplained.map(([field]) => field)).toEqual([]);
      });
      it('names only faults that exist, and the store may always be away', () => {
        expect(FAULT_CODES).toEqual(expect.arrayContaining([...faults]));
        expect(faults).toContain('unavailable');
      });
      it('is a query, a command or a stream', () => expect(['query', 'command', 'stream']).toContain(kind));
    });
  }
});
