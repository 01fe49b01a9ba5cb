import { type Attack, attack } from './attack-rows.ts';

/** What an agent can try with the files and processes it was given. */
export const ATTACKS_FROM_WORKSPACES: readonly Attack[] = [
  {
    id: 'F1',
    wants: 'a directory of the machine mounted into the sandbox at the next start, by git files that lead there',
    stands: 'mounts are computed from the record of the workspace alone, never from anything the agent can write',
    tests: [
      attack(
        'mount-what-it-likes',
        'finds the same mounts whatever it left in its tree, its git directory, its home and its notes',
      ),
      attack('mount-what-it-likes', 'leads no mount elsewhere from a directory that it may write besides'),
      attack('private-clone', 'does not get another directory mounted by files of its repository'),
    ],
  },
  {
    id: 'F2',
    wants: "Fleet's own git to commit to a branch or a repository that nobody has approved",
    stands:
      'outside of a sandbox Fleet runs no git over the tree or the git directory of such an agent; what it made comes in as one checked pack, under names Fleet chooses',
    tests: [
      attack('commit-where-it-likes', 'commits to no branch of its project or of another repository before anybody has approved'),
      attack('private-clone', "does not make Fleet's git commit to a branch of the project or of another repository"),
      attack('private-clone', 'plants programs that run nowhere outside: settings, hooks, filters of a submodule'),
      attack('private-clone', 'hands in no commit of a private branch that it only knows by name'),
    ],
  },
  {
    id: 'F3',
    wants: 'read-only places made writable by a namespace within the sandbox',
    stands: 'no user namespace can be made in a sandbox, and nothing of the repository is mounted that would have to be masked',
    tests: [
      attack('break-out-of-the-sandbox', 'makes no namespace in which it could take away what is mounted over its files'),
      attack('use-the-rights-of-root', 'is another user with no capability left, and none to be had'),
    ],
  },
  {
    id: 'F4',
    wants: "the user's next git command to run a program of the agent's, or the user's history to be destroyed",
    stands:
      "nothing of the user's git directory is visible to a sandboxed agent, its set-up or its gate; a directory below a repository is refused",
    tests: [
      attack('more-than-its-level', 'is refused, on the command line and over HTTP, by what the task says and not by defaults'),
      attack('more-than-its-level', 'is refused in a directory of a repository, with the repository to add'),
      attack('own-the-users-git', 'to run its program, by'),
      attack('own-the-users-git', 'to lose its history destroys nothing but its own'),
      attack('own-the-users-git', 'by what its set-up and its gate run, before and at landing, gets nothing'),
      attack('own-the-users-git', 'makes none that the git of its person obeys there'),
      attack('private-clone', 'cannot read a branch its base does not reach, nor the directory of the project'),
    ],
  },
  {
    id: 'F5',
    wants: 'settings of the kernel changed from a sandbox that root started',
    stands:
      'kernel interfaces are read-only in the sandbox, and where Fleet is root the agent is another user, or the run is refused',
    tests: [
      attack('break-out-of-the-sandbox', 'writes nowhere the kernel listens, also as root'),
      attack('use-the-rights-of-root', 'is another user with no capability left, and none to be had'),
      attack('use-the-rights-of-root', 'is refused when it would have to be root, with the reason, unless it may be'),
    ],
  },
  {
    id: 'F6',
    wants: 'what rejected or sandboxed work installed to run in the next task, or in its own gate',
    stands:
      'what set-up made is handed on only within one level of trust, where command, programs and files are the same, or declared inputs of a landed commit; after agents that are kept apart or sandboxed never',
    tests: [
      attack('set-up-results', 'in a sandbox installs nothing that the next task or its gate runs outside'),
      attack(
        'set-up-results',
        'installs nothing that the next task or its gate runs, where both are trusted alike and the inputs look the same',
      ),
      attack('set-up-results', 'changes no tools of the next agent in a sandbox, however well it hides the change'),
    ],
  },
  {
    id: 'F7',
    wants: 'a file outside of the workspace changed through a hard link that a package manager made',
    stands:
      'what set-up made outside of a sandbox never comes into one, and hard links out of a private clone are broken before its agent begins, and no sandbox is made in a plain directory that has any',
    tests: [
      attack('set-up-results', 'does not change the store by them from a sandbox'),
      attack('set-up-results', 'does not change the store by them from a private clone, nor the files that were copied for it'),
      attack('second-names', 'is not started where there is such a name, as package managers make them'),
      attack('second-names', 'works where names lead nowhere but to the directory itself, and makes none that lead elsewhere'),
    ],
  },
  {
    id: 'F8',
    wants: 'the server frozen by pipes and devices where Fleet reads files',
    stands: 'one reader for what agents write: no link on any component, never blocking, regular files of bounded size only',
    tests: [
      attack(
        'frozen-server',
        'puts pipes, directories, links and devices where notes are read, five at once, and everybody else goes on',
      ),
      attack('frozen-server', 'puts pipes where git keeps its own files, and landings and diffs of others go on'),
      { file: 'tools/checks/reading.test.ts', title: 'finds a way of its own to read a file' },
    ],
  },
  {
    id: 'F9',
    wants: 'places of the fleet occupied for good by work that cannot be kept',
    stands: 'every clean-up is bounded: after a few tries the workspace is put aside whole, and the place is free',
    tests: [
      attack('occupied-places', 'is over when its work cannot be kept: three of them, and a fourth works without a restart'),
      attack('occupied-places', 'gives its place back when it is canceled while its work is being kept, and can be deleted'),
      attack('occupied-places', 'is not used again, and its task gets another place when it is retried'),
      attack('occupied-places', 'is over also when its branch leads to an object that is not there'),
    ],
  },
  {
    id: 'F10',
    wants: "the network, through settings that make Fleet's own git fetch",
    stands: 'the collector has no network, and git of Fleet never fetches lazily nor by a protocol the operation does not need',
    tests: [
      attack('commit-where-it-likes', 'to reach the network has nobody asked for it'),
      attack('private-clone', "does not reach the network through Fleet's git"),
    ],
  },
];
