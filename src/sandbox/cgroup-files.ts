import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

/** What is asked of the kernel's files; a test answers as the kernel does. */
export interface CgroupFiles {
  /** Empty where there is no such file, or it may not be read. */
  read(path: string): string;
  write(path: string, text: string): void;
  isWritable(path: string): boolean;
  mkdir(path: string): void;
  rmdir(path: string): void;
  /** Names in a directory; none where it is not there. */
  names(path: string): string[];
}

export const CGROUP_FILES: CgroupFiles = {
  read: (path) => orElse('', () => readFileSync(path, 'utf8')),
  write: (path, text) => writeFileSync(path, text, { flag: 'r+' }),
  isWritable: (path) =>
    orElse(false, () => {
      accessSync(path, constants.W_OK);
      return true;
    }),
  mkdir: (path) => mkdirSync(path),
  rmdir: (path) => rmdirSync(path),
  names: (path) => orElse([], () => readdirSync(path)),
};

function orElse<Value>(otherwise: Value, ask: () => Value): Value {
  try {
    return ask();
  } catch {
    return otherwise;
  }
}
