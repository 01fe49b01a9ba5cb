import { isFault } from '../../../domain/fault.ts';
import type { FleetServices } from '../../open-services.ts';
import { VERSION } from '../../version.ts';
import { otelSettings } from './otel-settings.ts';
import type { TraceDeps, Tracing } from './tracing.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Traces, when the environment asks for them. It may speak to other programs: what is wrong in it is told, and stops nothing. */
export async function openTracing(
  { store, commits }: Pick<FleetServices, 'store' | 'commits'>,
  env: Env,
  own: Pick<TraceDeps, 'meters' | 'host' | 'log'>,
): Promise<(Pick<Tracing, 'start'> & AsyncDisposable) | undefined> {
  const settings = settingsIn(env, own.log);
  if (!settings) return undefined;
  const { Tracing: Made } = await import('./tracing.ts');
  const tracing = new Made({ ...own, store, commits, settings, version: VERSION });
  own.log('trace.on', { to: new URL(settings.url).origin });
  return { start: () => tracing.start(), [Symbol.asyncDispose]: () => tracing.stop() };
}

function settingsIn(env: Env, log: TraceDeps['log']) {
  try {
    return otelSettings(env, VERSION);
  } catch (error) {
    if (!isFault(error)) throw error;
    log('trace.off', { why: error.message });
    return undefined;
  }
}
