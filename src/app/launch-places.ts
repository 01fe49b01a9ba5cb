import type { Settings } from '../domain/settings.ts';

/** Where things are on this machine that an executor needs to launch its program. */
export interface LaunchPlaces {
  /** The program itself: the native one where the command on the path is only a wrapper around it. */
  readonly command: string;
  readonly node: string;
  /** Directory of this fleet. */
  readonly home: string;
  readonly settings: Settings;
  /** A program of ours that Fleet starts like any agent, by the name it has beside the bundle. */
  ours(name: string): string;
}
