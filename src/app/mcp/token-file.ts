import { join } from 'node:path';

/** In a run directory: what says that somebody is that run. */
export const mcpTokenFile = (runDirectory: string): string => join(runDirectory, 'mcp-token');
