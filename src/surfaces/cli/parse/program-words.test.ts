import { describe, expect, it } from 'vitest';
import { processIo } from '../process-io.ts';
import { programWords } from './program-words.ts';

const io = { ...processIo(), cwd: '/place', env: { PATH: '/bin' } };
const read = (...args: string[]) => programWords('up', args, io, { switches: ['status', 'stop'], places: 1 });

describe('the words after a program', () => {
  it('are switches, places, and the flags of every command', () => {
    const words = read('7', '--status', '--json', '--home', 'try');
    expect(words).toMatchObject({ places: ['7'], json: true, io: { env: { PATH: '/bin', FLEET_HOME: '/place/try' } } });
    expect([...words.switches]).toEqual(['status']);
    expect(read('--home=/h').io.env['FLEET_HOME']).toBe('/h');
    expect(read().io).toBe(io);
  });

  it.each([
    [['--stats'], 'unknown flag --stats'],
    [['--home'], '--home needs a value'],
    [['--home='], '--home needs a value'],
    [['a', 'b c'], 'too many arguments: "b c"'],
  ])('are refused when they say %j', (args, message) => {
    expect(() => read(...args)).toThrow(message);
  });
});
