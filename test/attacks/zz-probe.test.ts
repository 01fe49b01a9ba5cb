import { expect } from 'vitest';
import { commitWork } from '../../src/workspace/commit-work.ts';
import { who } from '../../src/workspace/fixtures/ground.ts';
import { keep } from '../../src/workspace/keep.ts';
import { withPrivateClone } from '../support/private-clone.ts';
import { readFileSync } from 'node:fs';

withPrivateClone('bomb head, no index', async (clone) => {
  const { at, site, means, agent } = clone;
  const r = await agent(`set -e; B=$(echo x | git hash-object -w --stdin); T=$(for n in 0 1 2 3 4 5 6 7 8 9; do printf "100644 blob $B\\tf$n\\n"; done | git mktree);
   for d in 1 2 3 4 5 6 7 8 9 10; do T=$(for n in 0 1 2 3 4 5 6 7 8 9; do printf "040000 tree $T\\td$n\\n"; done | git mktree); done;
   C=$(git commit-tree $T -p HEAD -m bomb); git update-ref refs/heads/x/one $C; rm .git/index; echo w > work.txt`);
  console.log(r);
  let t = performance.now();
  const said = await keep(site, { ref: 'refs/fleet/kept/1', message: 'kept', who, means }, at.env).catch((e) => e);
  console.log('keep', said, performance.now() - t); t = performance.now();
  const done = await commitWork(site, { message: 'rest', who, means }, at.env).catch((e) => e);
  console.log('commit', done, performance.now() - t); t = performance.now();
});
withPrivateClone('d/f conflicts', async (clone) => {
  const { at, site, means, agent } = clone;
  console.log(await agent(`set -e; echo o > o; git add o; git commit -qm o; I=$(git rev-parse HEAD); echo w > w; git add w; git commit -qm w; printf "$I refs/heads/a\\n$I refs/heads/a/b\\n$I refs/heads/$(head -c 300 /dev/zero | tr '\\0' l)\\n" >> .git/packed-refs; sort -k2 .git/packed-refs > p; mv p .git/packed-refs; git for-each-ref | cut -c1-100`));
  console.log(await keep(site, { ref: 'refs/fleet/kept/1', message: 'kept', who, means }, at.env).catch((e) => e));
  console.log(at.git(at.repository, 'for-each-ref'));
});
