import { acpExecutor } from '../acp-client/acp-client.ts';
import type { Executor } from '../executor.ts';
import type { AcpSettings, CustomSettings } from './custom-settings.ts';
import { environmentOf, filledArguments } from './template.ts';

/** The executor of any program that speaks the Agent Client Protocol. */
export function acpOf(name: string, settings: CustomSettings, { resume, fork, steer, asks, login }: AcpSettings): Executor {
  const { program, args, env, contextLimit, versionArgs } = settings;
  return acpExecutor({
    name,
    can: { resume, fork: resume && fork, steer, ask: true, usage: true, context: true, mcp: true, tools: asks },
    ...(contextLimit === undefined ? {} : { contextLimit }),
    ...(versionArgs ? { versionArgs } : {}),
    login,
    modelAtLaunch: args.some((arg) => arg.includes('{model}')),
    launch: (job) => ({
      command: program,
      args: [...filledArguments(args, job), ...job.extraArgs],
      env: environmentOf(env, job),
      files: [],
    }),
  });
}
