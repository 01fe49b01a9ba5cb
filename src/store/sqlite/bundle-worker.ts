import { bundlePrograms as bundle } from '../../platform/bundle.ts';

let worker: URL | undefined;

/** For running from the sources: Node 20 cannot start a thread from TypeScript. Made once per process. */
export function bundledWorker(): URL {
  worker ??= new URL('sqlite-worker.mjs', bundlePrograms({}));
  return worker;
}

/** Each program with the worker beside it, as in the published package. */
export const bundlePrograms = (programs: Readonly<Record<string, URL>>): URL =>
  bundle({ 'sqlite-worker': new URL('./worker.ts', import.meta.url), ...programs });
