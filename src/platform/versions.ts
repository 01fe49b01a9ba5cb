/** -1, 0 or 1, by the numbers of both; what follows a hyphen is before the same version without it. */
export function compareVersions(a: string, b: string): -1 | 0 | 1 {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let at = 0; at < Math.max(left.numbers.length, right.numbers.length); at += 1) {
    const by = (left.numbers[at] ?? 0) - (right.numbers[at] ?? 0);
    if (by !== 0) return by < 0 ? -1 : 1;
  }
  if (left.isEarly === right.isEarly) return 0;
  return left.isEarly ? -1 : 1;
}

function partsOf(version: string): { numbers: number[]; isEarly: boolean } {
  const [main = '', early] = version.replace(/[+].*$/, '').split(/-(.*)/s);
  return { numbers: main.split('.').map((part) => Number.parseInt(part, 10) || 0), isEarly: early !== undefined };
}
