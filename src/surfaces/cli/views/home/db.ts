import type { OutputOf } from '../../../../contract/call.ts';
import { plainLine } from '../../terminal/plain.ts';
import { counted, homely, type ViewStyle } from '../style.ts';

export const dbMigrated = ({ file, schema }: OutputOf<'db.migrate'>, look: ViewStyle): string =>
  `${homely(file, look)} has schema ${schema}\n`;

export function dbChecked({ file, ok, rows, findings, advice }: OutputOf<'db.check'>, look: ViewStyle): string {
  const { paint } = look;
  if (ok) return `${paint.green('✓')} ${homely(file, look)} is sound, ${counted(rows, 'row')}\n`;
  const list = findings.map((finding) => `  ${plainLine(finding)}\n`).join('');
  return `${paint.red('✗')} ${homely(file, look)} is damaged\n${list}${advice === undefined ? '' : `  ${plainLine(advice)}\n`}`;
}

export const dbBackedUp = ({ file, bytes, blobs }: OutputOf<'db.backup'>, look: ViewStyle): string =>
  `backup in ${look.paint.bold(homely(file, look))}, ${size(bytes)}, ${counted(blobs, 'long text')}\n  ${look.paint.dim('fleet db restore FILE brings it back')}\n`;

export const dbRestored = ({ file, kept, rows, tokens }: OutputOf<'db.restore'>, look: ViewStyle): string =>
  `${homely(file, look)} restored, ${counted(rows, 'row')}\n${kept === undefined ? '' : `  what was there is kept in ${homely(kept, look)}\n`}${tokensLost(tokens)}`;

export const dbAccepted = ({ file, rows, lostCommits, tokens }: OutputOf<'db.accept'>, look: ViewStyle): string =>
  `Fleet goes on with ${homely(file, look)} (${counted(rows, 'row')})\nlost: ${counted(lostCommits, 'commit')} that had been confirmed\n${tokensLost(tokens)}`;

const tokensLost = ({ revoked, gone }: OutputOf<'db.restore'>['tokens']): string =>
  [
    revoked === 0 ? '' : `  ${counted(revoked, 'token')} stay revoked, or could have been revoked since\n`,
    gone === 0 ? '' : `  ${counted(gone, 'token')} made after the backup must be made again\n`,
  ].join('');

export const dbExported = ({ file, rows }: OutputOf<'db.export'>, look: ViewStyle): string =>
  `${counted(rows, 'row')} in ${homely(file, look)}\n`;

export const dbPruned = ({ tasks, requests, blobs, dryRun }: OutputOf<'db.prune'>): string =>
  `${dryRun ? 'would delete' : 'deleted'} ${counted(tasks, 'task')}, ${counted(requests, 'old answer')}, ${counted(blobs, 'unused text')}\n`;

function size(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`;
}
