import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { CGROUP_FILES, type CgroupFiles } from '../../src/sandbox/cgroup-files.ts';

export interface Given {
  /** The group of the process that asks. */
  readonly own: string;
  readonly controllers?: string;
  /** Groups besides the root, outermost first. */
  readonly groups?: readonly string[];
  /** Members, by group. */
  readonly members?: Readonly<Record<string, readonly number[]>>;
  /** Whether this is the root of the whole machine and not of a container. */
  readonly isMachine?: boolean;
  readonly mount?: string;
  /** Paths below the mount that may not be written. */
  readonly closed?: readonly string[];
}

const MOUNT = 'sys/fs/cgroup';
const OF: Readonly<Record<string, readonly string[]>> = {
  memory: ['memory.max', 'memory.swap.max', 'memory.oom.group', 'memory.events', 'memory.peak'],
  pids: ['pids.max', 'pids.current', 'pids.events'],
  cpu: ['cpu.max', 'cpu.weight'],
};

/** The rules of cgroup version 2 over a directory: which files a group has, and what the kernel answers when they are written. */
export class CgroupKernel implements CgroupFiles {
  readonly root = mkdtempSync(join(tmpdir(), 'cgroups-'));
  readonly #closed: readonly string[];
  readonly read = CGROUP_FILES.read;
  readonly names = CGROUP_FILES.names;

  constructor({ own, controllers = 'cpu io memory pids', groups = [], members = {}, ...more }: Given) {
    this.#closed = (more.closed ?? []).map((path) => join(this.root, MOUNT, path));
    mkdirSync(join(this.root, 'proc/self'), { recursive: true });
    mkdirSync(this.at(''), { recursive: true });
    const mount = more.mount ?? `30 23 0:26 / /${MOUNT} rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate`;
    writeFileSync(join(this.root, 'proc/self/mountinfo'), `22 1 8:1 / / rw - ext4 /dev/sda1 rw\n${mount}\n`);
    writeFileSync(join(this.root, 'proc/self/cgroup'), `0::${own}\n`);
    this.#furnish(this.at(''), controllers);
    if (more.isMachine) rmSync(this.at('cgroup.type'));
    for (const group of groups) {
      if (dirname(group) !== '.') writeFileSync(this.at(dirname(group), 'cgroup.subtree_control'), `${controllers}\n`);
      mkdirSync(this.at(group));
      this.#furnish(this.at(group), controllers);
    }
    for (const [group, pids] of Object.entries(members))
      writeFileSync(this.at(group, 'cgroup.procs'), pids.map((pid) => `${pid}\n`).join(''));
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  at(...names: string[]): string {
    return join(this.root, MOUNT, ...names);
  }

  text(...names: string[]): string {
    return readFileSync(this.at(...names), 'utf8').trim();
  }

  addProcess(pid: number, group: string): void {
    mkdirSync(join(this.root, 'proc', String(pid)));
    writeFileSync(join(this.root, 'proc', String(pid), 'cgroup'), `0::${group}\n`);
  }

  /** Groups of sandboxes that are there. */
  sandboxes(): string[] {
    return readdirSync(this.root, { recursive: true, encoding: 'utf8' })
      .filter((path) => basename(path).startsWith('fleet-sandbox-'))
      .map((path) => path.slice(MOUNT.length + 1));
  }

  isWritable(path: string): boolean {
    return !this.#closed.includes(path) && CGROUP_FILES.isWritable(path);
  }

  mkdir(path: string): void {
    if (this.#closed.includes(path)) throw new Error('EACCES');
    mkdirSync(path);
    this.#furnish(path, this.read(join(dirname(path), 'cgroup.subtree_control')));
  }

  rmdir(path: string): void {
    if (this.read(join(path, 'cgroup.procs')) !== '') throw new Error('EBUSY');
    rmSync(path, { recursive: true });
  }

  write(path: string, text: string): void {
    if (this.#closed.includes(path)) throw new Error('EACCES');
    if (!this.names(dirname(path)).includes(basename(path))) throw new Error('ENOENT');
    const name = basename(path);
    if (name === 'cgroup.procs') this.#move(text, path);
    else if (name === 'cgroup.subtree_control') this.#handOn(dirname(path), text.slice(1));
    else if (name === 'cgroup.kill') writeFileSync(join(dirname(path), 'cgroup.procs'), '');
    else writeFileSync(path, text);
  }

  #furnish(group: string, controllers: string): void {
    const names = controllers.split(/\s+/).filter(Boolean);
    const files = ['cgroup.procs', 'cgroup.subtree_control', 'cgroup.kill', ...names.flatMap((name) => OF[name] ?? [])];
    for (const file of files) writeFileSync(join(group, file), '');
    writeFileSync(join(group, 'cgroup.controllers'), `${names.join(' ')}\n`);
    writeFileSync(join(group, 'cgroup.type'), 'domain\n');
  }

  #move(pid: string, to: string): void {
    for (const path of readdirSync(this.at(''), { recursive: true, encoding: 'utf8' })) {
      if (basename(path) !== 'cgroup.procs') continue;
      const rest = this.text(path)
        .split('\n')
        .filter((one) => one !== '' && one !== pid);
      writeFileSync(this.at(path), rest.map((one) => `${one}\n`).join(''));
    }
    writeFileSync(to, `${this.read(to)}${pid}\n`);
  }

  /** No processes within, but for the root of the machine. */
  #handOn(group: string, controller: string): void {
    const isMachine = !this.names(group).includes('cgroup.type');
    if (!isMachine && this.read(join(group, 'cgroup.procs')) !== '') throw new Error('EBUSY');
    if (!this.read(join(group, 'cgroup.controllers')).split(/\s+/).includes(controller)) throw new Error('ENOENT');
    const now = this.read(join(group, 'cgroup.subtree_control')).trim();
    writeFileSync(join(group, 'cgroup.subtree_control'), `${now} ${controller}\n`);
  }
}
