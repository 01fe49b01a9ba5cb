import { type Attack, attack } from './attack-rows.ts';
import { ATTACKS_FROM_WORKSPACES } from './attacks-from-workspaces.ts';

/**
 * What somebody could want who has a token, an agent or a page in a browser; what stands against it; and the tests that try it.
 * `docs/reference/threats.md` is made from this. Threats T1… are requirements: their tests cite them in titles.
 */

export const ATTACKS: readonly Attack[] = [
  ...ATTACKS_FROM_WORKSPACES,
  {
    id: 'F11',
    wants: 'a shell, by a token that may only hand in work',
    stands:
      'an executor whose prompt reaches a shell exists only where the owner has switched it on, and only the owner has a task name its program; executors, sandbox and budget can be bounded',
    tests: [
      attack('what-a-token-may-start', 'is not to be had by naming `scripted`, with any role, over REST'),
      attack('what-a-token-may-start', 'is not to be had by naming `scripted`, with any role, over MCP'),
      attack(
        'what-a-token-may-start',
        'is not to be had by switching `scripted` on, nor by a token of a team that is called admin',
      ),
      attack('what-a-token-may-start', 'is not started, and no command of anybody switches it on for itself'),
      attack('what-a-token-may-start', 'is not to be had as a program that a task names, by anybody but the owner'),
      attack(
        'what-a-token-may-start',
        'is not to be had by arguments for the program of an agent, of whichever, by anybody but the owner',
      ),
      attack('what-a-token-may-start', 'is refused over REST and over MCP, with the bound and what it allows'),
      { file: 'src/executors/custom/custom.test.ts', title: 'is filled in argument by argument, without a shell' },
      {
        file: 'src/operations/bounds.test.ts',
        title: 'is refused outside of its bounds, with whose they are and what is allowed',
      },
      attack('what-a-token-may-start', 'is held to those of whoever made it, through every token, link, fork and part'),
      attack(
        'what-a-token-may-start',
        'a gate outside of the sandbox is not run by whoever is held to it, over a commit of its choice',
      ),
      {
        file: 'test/bounded-operations.test.ts',
        title: 'is either held to the bounds of what may be started, or says why it starts nothing',
      },
      {
        file: 'src/operations/task/transfer.test.ts',
        title: 'brings in no task that may do more than it could where it comes from',
      },
      attack('identity', 'makes nothing for another team, and moves nothing there'),
    ],
  },
  {
    id: 'F12',
    wants: 'to be somebody else by taking their name',
    stands: "a caller is its token's id; names give no rights, and an answer that held a secret is never given again",
    tests: [
      attack('identity', 'takes no name of the house, and none of somebody who is there already'),
      attack('identity', 'sees and revokes the tokens it made, and neither those of its equals nor those of the owner'),
      attack('identity', 'gets no answer of another token by using its key, and nobody gets a secret twice'),
    ],
  },
  {
    id: 'F13',
    wants: 'to act as the owner by typing `fleet` in a run',
    stands: 'in a run the command line, MCP and the socket act as that run and no more; without its token a run is refused',
    tests: [
      attack('run-is-itself', "approves, makes, changes and reads nothing that is its owner's"),
      attack('run-is-itself', 'without the token of its run, because it '),
      attack('run-is-itself', 'gets no more by either socket, by the port or by MCP than by the command line'),
      attack('run-is-itself', 'finds nobody but runs let in at the socket of runs'),
    ],
  },
  {
    id: 'F14',
    wants: 'files that were open when Fleet was started',
    stands: 'descriptors that Fleet inherited are closed before anything is started',
    tests: [
      attack('break-out-of-the-sandbox', 'finds no descriptor that somebody left open around Fleet'),
      attack('inherited-descriptors', 'are in no agent, set-up or gate of'),
    ],
  },
  {
    id: 'F15',
    wants: 'settings of agents, editors, hooks or workflows to land unseen, as a link, deeper in the tree or in other letters',
    stands: 'guarded paths are one list, matched as file, directory or link, at any depth and in any case',
    tests: [
      attack('guarded-paths', 'lands no settings that the programs of others obey, as file, directory or link, at any depth'),
      attack('guarded-paths', 'leaves none of the settings there that programs obey when they open it, new or changed'),
    ],
  },
  {
    id: 'F16',
    wants: 'to lock the owner out by a flood of connections',
    stands: 'agents and the owner come in by different doors with limits of their own',
    tests: [
      attack('floods', 'locks neither the owner out nor another run'),
      attack('floods', 'from a sandbox locks neither the owner out nor another run'),
      attack('flood-by-a-run', 'uses up its own rate and nobody else is refused once, by any door'),
      attack('flood-by-a-run', 'is let in with less at once than its owner: body and head'),
    ],
  },
  {
    id: 'F17',
    wants: "the server busy with one agent's page for seconds",
    stands: "patterns over agents' text are linear, and so is every other pattern of the program",
    tests: [
      { file: 'tools/patterns.test.ts', title: 'take a time that grows with the length of the text alone' },
      { file: 'src/domain/question/page.test.ts', title: 'is parsed in time linear to its length' },
    ],
  },
  {
    id: 'F18',
    wants: "a key of another provider, or the parent's whole budget again, by making a part",
    stands: 'a part is done by the executors of its task unless the owner allows others, and shares its budget',
    tests: [
      attack('budget-by-parts', 'is there once for all of them together, at once and one below the other'),
      {
        file: 'src/store/queries/shared-budgets.test.ts',
        title: 'has room, before a part begins, for a turn of each other that is at work, however many begin at once',
      },
      attack('keys-of-other-providers', 'is had by no part of a task whose bounds name its executors'),
      attack('keys-of-other-providers', 'is had by no part of a task in a sandbox, unless the owner names that executor'),
    ],
  },
  {
    id: 'F19',
    wants: 'all sessions of the server, by writing one header in many ways',
    stands: 'sessions are counted by the id of the token, and a token has one spelling',
    tests: [attack('identity', 'is one caller however its header is written: its sessions push out nobody but itself')],
  },
  {
    id: 'F20',
    wants: 'a revoked token to work again after a restore',
    stands: 'revocations survive a restore',
    tests: [
      attack('revived-tokens', 'does not get in again when a backup from before that is restored'),
      attack('revived-tokens', 'does not get in by a backup where nobody can tell what was revoked since'),
    ],
  },
  {
    id: 'F21',
    wants: 'nobody to be able to sign in',
    stands: 'signing in has a limit of its own',
    tests: [attack('doors', 'keeps nobody from signing in')],
  },
  {
    id: 'F22',
    wants: 'the port blocked by connections that say nothing',
    stands: 'connections that have shown no token are bounded: a further one ends the oldest of the peer that has most',
    tests: [attack('floods', 'blocks the port for nobody by thousands of connections')],
  },
  {
    id: 'F23',
    wants: 'more calls than allowed, in batches',
    stands: 'each call of a batch counts',
    tests: [
      attack('doors', 'gains nothing by putting a hundred calls into one request: each counts'),
      attack('doors', 'gains nothing by it over the other transports of MCP either'),
    ],
  },
  {
    id: 'F24',
    wants: 'secrets in questions and subjects of commits to be stored and shown',
    stands:
      'whatever an agent says reaches rows through the redactor: each field of its commands, and what git and files say of its work',
    tests: [
      {
        file: 'test/attacks/leaked-secrets.test.ts',
        title: 'an agent that says its secret in every way it has leaves it in no row, view, answer, stream or file of Fleet',
      },
      { file: 'test/attacks/leaked-secrets.test.ts', title: 'nor in its result file or its last words' },
    ],
  },
  {
    id: 'F25',
    wants: 'people to rely on words that are not true',
    stands: 'the levels of trust are one table in the code, from which documents, the program and this page are made',
    tests: [{ file: 'test/threats.test.ts', title: 'name tests that are there' }],
  },
  {
    id: 'F26',
    wants: 'the memory, the processes, the disk or the time of the whole machine, from a sandbox',
    stands:
      'whoever owns the sandbox measures it from outside and ends it with the reason; the kernel holds single files, tasks, signals and messages, and leaves half to the user; there is always a time limit',
    tests: [
      attack('take-the-machine', 'is ended when it takes more memory than it may'),
      attack(
        'take-the-machine',
        'is ended for its memory also when it has tried to leave nothing to whoever looks, by opening every way out',
      ),
      { file: 'src/sandbox/watch-limits.process.test.ts', title: 'ends what it is kept from looking at' },
      { file: 'src/sandbox/watch-limits.process.test.ts', title: 'counts what the kernel needs for pages that hold nothing' },
      attack('break-out-of-the-sandbox', 'hides no memory in what nobody is attached to, and has small segments as databases do'),
      attack('take-the-machine', 'is ended when it forks without end, before the engine has looked'),
      attack('take-the-machine', 'is ended when it starts threads without end, which are no processes'),
      attack('take-the-machine', 'is ended when it stops everything in there, its first program too, and shows no sign of life'),
      attack('take-the-machine', 'is ended when it makes more files than its share, which hold nothing'),
      {
        file: 'src/sandbox/watch-limits.process.test.ts',
        title: 'leaves half of the watchers and watches of files to its user',
      },
      attack('take-the-machine', 'is ended when it fills the disk, also by what du does not see'),
      attack('take-the-machine', 'makes no file that is larger than all of it may be'),
      {
        file: 'src/engine/supervise/decide.test.ts',
        title: 'is to end one in a sandbox after a time also where nobody has set one',
      },
    ],
  },
  {
    id: 'F27',
    wants:
      'somebody outside of the sandbox reached by what it leaves or says: a set-user-id file, a signal to its group, a name that leads to this machine',
    stands:
      'the filter of system calls refuses such modes, a sandbox is a session of its own, its first process cannot be traced, and names that lead to this machine or to link-local addresses are not connected to',
    tests: [
      {
        file: 'test/attacks/break-out-of-the-sandbox.test.ts',
        title: 'leaves no file that gives its rights to whoever starts it, and signals nobody outside',
      },
      attack('break-out-of-the-sandbox', 'neither stops, reads nor changes the first process of its sandbox, and debugs its own'),
      { file: 'src/sandbox/elsewhere.process.test.ts', title: 'never leads to an address that this machine has in a network' },
      { file: 'src/sandbox/elsewhere.process.test.ts', title: 'never leads to this machine or to the metadata of a cloud' },
    ],
  },
  {
    id: 'F28',
    wants: 'a secret that an agent was given to be on the target branch, or at a remote, by accident',
    stands:
      'finished work is searched for the values its agents had, in every commit; where one is found a person is asked, and it is shown to nobody',
    tests: [
      attack('secrets-that-land', 'lands nowhere by itself, in whatever commit and form it is; what only looks like one lands'),
      attack('secrets-that-land', 'is said, is shown to nobody, is not pushed, and lands only as a person has seen it'),
      attack('secrets-that-land', 'is looked for again in what the agent makes of it once it was sent back'),
    ],
  },
  {
    id: 'F29',
    wants: 'an agent to obey what it reads: a message, a report, the words of a tool',
    stands:
      'what others say is told as theirs, line by line; the token of a run opens no more than before; what it reaches for stands in the history of its task, and tools that change are said',
    tests: [
      attack('infected-agents', 'is refused whatever is above it, by every door of its token, and a person reads each of it'),
      attack('infected-agents', 'reads tools whose words have changed between runs, and that is said once'),
      {
        file: 'src/domain/run/prompt.test.ts',
        title: 'a message carries who sent it, and no line within it passes for that of another',
      },
      {
        file: 'src/operations/refusals.test.ts',
        title: 'stand in the history of its task, each with what it reached for; nothing else changes',
      },
    ],
  },
  {
    id: 'F30',
    wants: "hosts that nobody has allowed, by what it says to its person's own proxy behind that of Fleet",
    stands: 'nothing of it is sent on before the proxy beyond has opened the tunnel to the host that was allowed',
    tests: [
      {
        file: 'src/sandbox/proxy.process.test.ts',
        title: 'says nothing of a client to a proxy beyond that has not opened a tunnel, which would take it for a request',
      },
      {
        file: 'src/sandbox/proxy.process.test.ts',
        title: 'takes no other spelling of an address or of a host for one that is allowed',
      },
    ],
  },
  {
    id: 'F31',
    wants:
      'the memory, the time or the disk of the machine by a kilobyte that unfolds: trees in trees, differences of differences',
    stands:
      'whoever looks at objects that an agent made has so much memory and so much time, and no commit comes in that changes more files or bytes than a checkout may have',
    tests: [
      attack('unfolding-work', 'hands in its files, and nobody compares or lays out what its branch leads to'),
      attack('unfolding-work', 'keeps its branches beside its work as little'),
      attack('unfolding-work', 'gets no list made of it either where its own is gone, and its files are taken'),
      {
        file: 'src/workspace/private/intake.process.test.ts',
        title: 'a pack of 200 bytes that asks for 2.6 GB gets the memory of the limit and no more',
      },
      { file: 'src/workspace/private/intake.process.test.ts', title: 'a few trees that unfold into more files than are taken' },
      { file: 'src/workspace/private/intake.process.test.ts', title: 'a file that is there so often that no disk holds it' },
    ],
  },
  {
    id: 'F32',
    wants: 'its work lost without a word, or its place never free, by names that git cannot keep',
    stands:
      'what git leaves out is named and keeps the workspace; names of branches that cannot be there are counted and stop nothing else',
    tests: [
      attack('unfolding-work', 'is told of a name that git leaves out, and keeps its workspace'),
      attack('unfolding-work', 'is told of it also where git says so much besides that nobody hears it'),
      { file: 'src/workspace/save/save.process.test.ts', title: 'names what git leaves out for its name, and takes the rest' },
      { file: 'src/workspace/save/save.process.test.ts', title: 'names it also where git says so much besides' },
      {
        file: 'src/workspace/private/bounds.process.test.ts',
        title: 'keeps so many other branches, and says how many there are besides; names that cannot be there stop none',
      },
    ],
  },
  {
    id: 'F33',
    wants:
      'a clean-up that never ends, by a directory whose names take longer to list than a clean-up has, or by files nobody may delete',
    stands:
      'names are listed and removed some at a time, so that each round comes further; what cannot be deleted is named and keeps nothing else',
    tests: [
      {
        file: 'src/workspace/tree/obstacles.process.test.ts',
        title: 'a directory of a hundred thousand names is given up when its time is over, and gone on with the next time',
      },
      {
        file: 'src/workspace/tree/obstacles.process.test.ts',
        title: 'a file that nobody may delete stays where it is, is named, and keeps nothing else there',
      },
      {
        file: 'src/workspace/tree/obstacles.process.test.ts',
        title: 'a process that goes on writing into a workspace keeps nobody from taking it away',
      },
    ],
  },
  {
    id: 'F34',
    wants: 'its own words taken for those of Fleet or of its owner, by whoever goes on with its work and is trusted more',
    stands:
      'what another conversation said last, and how its run ended, stands in a prompt behind a mark on every line, as reports and messages do',
    tests: [attack('words-of-others', 'has every line marked as somebody else’s, by %s')],
  },
];
