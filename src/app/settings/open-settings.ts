import { join } from 'node:path';
import type { Judge } from './known-executors.ts';
import type { FileValues } from './parse-settings.ts';
import { type Flags, type Resolved, resolveSettings, type SettingsEnv } from './resolve-settings.ts';
import { lastGood, readSettingsFile, rememberGood, writeSettingsFile } from './settings-file.ts';
import { watchFile } from './watch-file.ts';

export interface CurrentSettings extends Resolved {
  readonly file: string;
  /** What is wrong with the file, and what holds instead. */
  readonly problem?: string;
}

export interface SettingsSource {
  current(): CurrentSettings;
  /** Makes all of these `name=value` assignments in the file, or none. */
  set(assignments: readonly string[]): Promise<void>;
  /** Takes up changes of the file until stopped; calls back when a value or the problem is another. */
  watch(signal: AbortSignal, onChange: (current: CurrentSettings) => void): void;
  /** Looks at the file now. */
  reload(): Promise<void>;
}

interface Opening {
  readonly home: string;
  readonly env: SettingsEnv;
  readonly flags?: Flags;
  readonly judge?: Judge;
}

/** The settings of a home. A wrong environment variable or flag is refused; a wrong file is told and not followed. */
export async function openSettings({ home, env, flags, judge = () => undefined }: Opening): Promise<SettingsSource> {
  const file = join(home, 'runtime.toml');
  let good: FileValues | undefined;
  let isRemembered = false;
  let current: CurrentSettings | undefined;
  let reading: Promise<CurrentSettings> | undefined;

  const read = async (): Promise<CurrentSettings> => {
    const found = await readSettingsFile(file, judge);
    if (found.good) {
      good = found.values;
      isRemembered = await rememberGood(file, found.text);
      const problem = found.remarks.join('; ');
      return { ...resolveSettings(good, env, flags), file, ...(problem !== '' && { problem }) };
    }
    // Another process may have read a good file since this one did, and remembered it.
    good = ((isRemembered || !good) && (await lastGood(file))) || good || {};
    return { ...resolveSettings(good, env, flags), file, problem: `${found.problem}; the last good settings stay in force` };
  };
  /** Readings follow each other, so that an older one never replaces a newer. */
  const reload = async (): Promise<CurrentSettings> => {
    reading = (reading ?? Promise.resolve()).then(read, read);
    current = await reading;
    return current;
  };
  const first = await reload();

  return {
    current: () => current ?? first,
    reload: async () => void (await reload()),
    set: async (assignments) => {
      await writeSettingsFile(file, assignments, judge);
      await reload();
    },
    watch: (signal, onChange) => {
      let told = JSON.stringify(current);
      watchFile(file, signal, () => {
        // A reading cannot fail but for the environment, which was checked when it was opened and does not change.
        void reload().then((next) => {
          const now = JSON.stringify(next);
          if (now === told || signal.aborted) return;
          told = now;
          onChange(next);
        });
      });
    },
  };
}
