import { LawBroken } from './law.ts';

const refuse = (name: string) => (): never => {
  throw new LawBroken(`${name} is read: an executor may use only its arguments`);
};

/** A `Date` that can be made of a given time, but not of the present one. */
const givenOnly = new Proxy(Date, {
  construct: (target, args, self) =>
    args.length === 0 ? refuse('new Date()')() : (Reflect.construct(target, args, self) as Date),
  apply: refuse('Date()'),
  get: (target, name) => (name === 'now' ? refuse('Date.now') : (Reflect.get(target, name) as unknown)),
});

const AMBIENT: readonly { readonly of: object; readonly name: string; readonly instead: PropertyDescriptor }[] = [
  { of: globalThis, name: 'Date', instead: { value: givenOnly } },
  { of: Math, name: 'random', instead: { value: refuse('Math.random') } },
  { of: performance, name: 'now', instead: { value: refuse('performance.now') } },
  { of: process, name: 'env', instead: { get: refuse('process.env') } },
];

/** Runs the work without time, chance and environment: reading them throws `Broken`. */
export function withoutAmbient<T>(work: () => T): T {
  const before = AMBIENT.map((entry) => ({ ...entry, own: Object.getOwnPropertyDescriptor(entry.of, entry.name) }));
  for (const { of, name, instead } of before) Object.defineProperty(of, name, { ...instead, configurable: true });
  try {
    return work();
  } finally {
    for (const { of, name, own } of before) {
      if (own) Object.defineProperty(of, name, own);
      else Reflect.deleteProperty(of, name);
    }
  }
}

export const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}
