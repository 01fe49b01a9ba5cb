/** Calls it with time and chance taken away: what reads them throws. */
export function purely<T>(work: () => T): T {
  const ambient = [
    { of: Date, name: 'now' },
    { of: Math, name: 'random' },
    { of: performance, name: 'now' },
  ].map((entry) => ({ ...entry, own: Object.getOwnPropertyDescriptor(entry.of, entry.name) }));
  for (const { of, name } of ambient) {
    const value = (): never => {
      throw new Error(`${name} is read`);
    };
    Object.defineProperty(of, name, { value, configurable: true, writable: true });
  }
  try {
    return work();
  } finally {
    for (const { of, name, own } of ambient) {
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
