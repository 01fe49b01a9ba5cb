import type { Cell } from './screen.ts';

export interface Shot {
  readonly atMs: number;
  readonly rows: readonly (readonly Cell[])[];
}

/** A line of the screen, and when it could be seen; without an end it is there at the last. */
export interface Take {
  readonly row: number;
  readonly cells: readonly Cell[];
  readonly fromMs: number;
  readonly toMs?: number;
}

/** Each line once for as long as it stayed the same: most of a film is what does not move. */
export function takesOf(shots: readonly Shot[]): Take[] {
  const height = Math.max(0, ...shots.map(({ rows }) => rows.length));
  return Array.from({ length: height }, (_, row) => rowTakes(shots, row)).flat();
}

function rowTakes(shots: readonly Shot[], row: number): Take[] {
  const lines = shots.map(({ atMs, rows }) => ({ atMs, cells: rows[row] ?? [], key: JSON.stringify(rows[row] ?? []) }));
  const changes = lines.filter(({ key }, index) => key !== lines[index - 1]?.key);
  return changes.flatMap(({ atMs, cells }, index): Take[] => {
    if (cells.every(({ text }) => text.trim() === '')) return [];
    const next = changes[index + 1];
    return [{ row, cells, fromMs: atMs, ...(next && { toMs: next.atMs }) }];
  });
}
