import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ClaudeEngine } from '../executors/claude/launch.ts';
import { sdkPlaces } from '../executors/claude/program.ts';
import type { LaunchPlaces } from './launch-places.ts';

const SDK = join('node_modules', '@anthropic-ai', 'claude-agent-sdk', 'sdk.mjs');

/** The Agent SDK is the user's: beside the program, in the home of the fleet, or where this Node keeps what is installed for all. */
export function claudeEngine({ command, node, home, settings, ours }: LaunchPlaces): ClaudeEngine {
  const cli: ClaudeEngine = { kind: 'cli', command };
  if (settings.claude_engine === 'cli') return cli;
  const program = existsSync(command) ? realpathSync(command) : command;
  const places = [...sdkPlaces(program), join(home, SDK), join(dirname(node), '..', 'lib', SDK)];
  const sdk = places.find((place) => existsSync(place));
  // Whoever wants the SDK and has none is told so by the run, not given something else.
  if (sdk === undefined && settings.claude_engine === 'auto') return cli;
  return { kind: 'sdk', command, sdk: sdk ?? join(home, SDK), node, agent: ours('claude-sdk-agent') };
}
