import { join } from 'node:path';
import { hadPackage } from './install.ts';

const VERSION = '0.3.325';

/** The Agent SDK of Claude Code, without the copy of the program that it would bring along. */
export const hadClaudeSdk = (): Promise<{ readonly modules: string } | { readonly missing: string }> =>
  hadPackage(
    { name: 'claude-sdk', version: VERSION, spec: `@anthropic-ai/claude-agent-sdk@${VERSION}`, more: ['--omit=optional'] },
    async (modules) => {
      const file = join(modules, '@anthropic-ai', 'claude-agent-sdk', 'sdk.mjs');
      const { query } = (await import(file)) as { query?: unknown };
      if (typeof query !== 'function') throw new Error('claude-sdk has no query()');
    },
  );
