import { attack, type Proof } from './attack-rows.ts';

const at = (file: string, title: string): readonly Proof[] => [{ file, title }];
const by = (file: string, title: string): readonly Proof[] => [attack(file, title)];
const taken = (what: string): readonly Proof[] => by('planted-files', `title: '${what}'`);
const intake = (title: string): readonly Proof[] => at('src/workspace/private/intake.process.test.ts', title);
const clone = (title: string): readonly Proof[] => at('src/workspace/private/clone.process.test.ts', title);
const bounds = (title: string): readonly Proof[] => at('src/workspace/private/bounds.process.test.ts', title);
const reader = (title: string): readonly Proof[] => at('src/platform/read-safely.process.test.ts', title);

const ONLY_ITS_INDEX = by(
  'private-clone',
  'keeps what only its index knows: sparse files, forced ones, links to commits, hidden flags',
);
const TREE_NAMES = by('private-clone', 'hands in no object with a name that would write into a repository');

/** What an agent can plant or do where Fleet looks afterwards, by the part that has to stand it. */
export const PLANTED = {
  sandbox: {
    'mounts-equal-record-after-hostile-run': by(
      'mount-what-it-likes',
      'finds the same mounts whatever it left in its tree, its git directory, its home and its notes',
    ),
    'no-userns-inside': by(
      'break-out-of-the-sandbox',
      'makes no namespace in which it could take away what is mounted over its files',
    ),
    'proc-sys-unwritable-as-root': by('break-out-of-the-sandbox', 'writes nowhere the kernel listens, also as root'),
    'uid-really-dropped': by('use-the-rights-of-root', 'is another user with no capability left, and none to be had'),
    'root-without-uid-refused': by(
      'use-the-rights-of-root',
      'is refused when it would have to be root, with the reason, unless it may be',
    ),
    'inherited-descriptor-closed': by('inherited-descriptors', 'files that were open where Fleet was started'),
    'tiocsti-refused': by(
      'break-out-of-the-sandbox',
      'types into no terminal, holds no key, and reaches no machine beside its network',
    ),
    'seccomp-git-node-run': by(
      'break-out-of-the-sandbox',
      'works in there: git, Node, Python, threads, pipes and sockets of its own',
    ),
    'term-reaches-agent': at(
      'test/e2e/sandbox-life.test.ts',
      'is asked to end like any other, has its time, and is ended with everything in there when it does not',
    ),
    'swapped-source': by('mount-what-it-likes', 'leads no mount elsewhere from a directory that it may write besides'),
    'sandbox-with-worktree-refused': by(
      'more-than-its-level',
      'is refused, on the command line and over HTTP, by what the task says and not by defaults',
    ),
  },
  clone: {
    'host-git-finds-no-repository': clone('of a sandboxed agent is no repository on the host, whose parts lie beside it'),
    'dot-git-not-replaceable': by('private-clone', 'does not get another directory mounted by files of its repository'),
    'private-branch-unreadable': clone('a private branch, a stash and a dropped commit of the user cannot be read in it'),
    'user-gc-harmless': [
      ...clone('is whole whatever the user removes from the project'),
      ...bounds('gives it again what the user has removed, and nothing that is still there'),
    ],
    'base-only-in-store': clone('begins at a commit that no branch of the project holds any more'),
    'status-clean-at-start': clone('status is clean at the start, and nothing of the project is mentioned in its git directory'),
    'sha256-shallow': clone('works for a project made with %s'),
  },
  collector: {
    'commondir-elsewhere': taken('a common directory elsewhere'),
    'objects-link': taken('objects that are a link elsewhere'),
    'promisor-no-request': by('private-clone', "does not reach the network through Fleet's git"),
    'submodule-filter-not-outside': by(
      'private-clone',
      'plants programs that run nowhere outside: settings, hooks, filters of a submodule',
    ),
    'fifo-head': by('private-clone', 'whose git directory holds pipes is collected as files'),
    'fifo-gitignore-aside': by('private-clone', 'that puts a pipe where git reads is refused by its name, and soon'),
    'missing-blob-files-kept': taken('a commit that names an object that is not there'),
    'amended-base': taken('a base that was amended'),
    orphan: by('private-clone', 'is told on when its last commit does not descend from where it began'),
    'merge-unfinished': by('planted-files', 'a merge that is not done has it kept, and nobody else ends it'),
    'sparse-not-deleted': ONLY_ITS_INDEX,
    'forced-ignored-kept': ONLY_ITS_INDEX,
    'gitlinks-kept': ONLY_ITS_INDEX,
    'hidden-flags': ONLY_ITS_INDEX,
    'same-mtime': taken('a change of the same size and time'),
    'file-becomes-fifo': taken('a pipe in the place of a file'),
    'directory-becomes-link': taken('a link in the place of a directory'),
    'odd-names': taken('odd names'),
    'sparse-900-gb': by('private-clone', 'that makes files of 900 GB without content has them named, and the rest taken'),
    'sum-bounded': bounds('names what is more than all files together may have, before a byte of it is read'),
    'million-refs': by('private-clone', 'with a million refs and a large heap of junk is collected all the same'),
    'garbage-index': taken('an index of garbage'),
    'while-agent-writes': by('private-clone', 'is looked at while it goes on writing and committing'),
  },
  intake: {
    'dot-git-tree': [...intake('a tree with .git in it'), ...TREE_NAMES],
    'dot-dot-entry': [...intake('a tree with .. in it'), ...TREE_NAMES],
    'delta-bomb': intake('a pack of 200 bytes that asks for 2.6 GB gets the memory of the limit and no more'),
    'truncated-pack': intake('half a pack'),
    'claim-not-in-pack': intake('a snapshot that is not in the pack'),
    'claim-other-shape': intake('a snapshot that a collector does not make'),
    'claim-too-long': [...intake('a name that is longer than any'), ...intake('words without end')],
    'killed-before-ref': at(
      'src/workspace/private/killed-intake.process.test.ts',
      'is taken in whole or not at all, and taken again, whatever moment its taker is killed at',
    ),
    'refused-leaves-store-unchanged': intake('refuses %s, and is as it was before'),
  },
  rest: {
    'gate-clean-checkout': by('own-the-users-git', 'by what its set-up and its gate run, before and at landing, gets nothing'),
    'rejected-setup-not-shared': by(
      'set-up-results',
      'installs nothing that the next task or its gate runs, where both are trusted alike and the inputs look the same',
    ),
    'hard-link-refused': [
      ...at(
        'src/workspace/tree/links-out.process.test.ts',
        'are broken before agents of a lower level come, and what is written there changes nothing outside',
      ),
      ...reader('refuses to change a file that has another name elsewhere'),
    ],
    'failed-clean-up-frees-slot': by(
      'occupied-places',
      'is over when its work cannot be kept: three of them, and a fourth works without a restart',
    ),
    'aside-never-reused': by('occupied-places', 'is not used again, and its task gets another place when it is retried'),
    'cancel-during-late-collect': by(
      'occupied-places',
      'gives its place back when it is canceled while its work is being kept, and can be deleted',
    ),
    'reader-race': reader('never follows a directory that is swapped for a link while it reads'),
    'reader-fifo-device-growing': [
      ...reader('opens no link on any component, no pipe, no device, no socket and no directory'),
      ...reader('reads no more than its limit of a file that grows while it is read, and loses no descriptor'),
    ],
    'loop-delay': reader('holds up nobody: the loop goes on while pipes and floods are looked at'),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly Proof[]>>>>;
