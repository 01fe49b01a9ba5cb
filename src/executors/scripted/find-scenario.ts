import { FLEET_SEPARATOR } from '../../domain/run/prompt.ts';
import { isBlankOrComment, isMode, looksLikeStep, type ScenarioMode } from './scenario.ts';

/** Where a prompt's scenario is. */
export type FoundScenario =
  | { readonly in: 'prompt'; readonly text: string; readonly mode: ScenarioMode }
  | { readonly in: 'file'; readonly path: string; readonly mode: ScenarioMode }
  | { readonly in: 'nothing'; readonly mode: ScenarioMode };

/**
 * Finds a fenced block `scenario`; else a line `scenario: PATH`; else takes the whole prompt without Fleet's additions, if its first
 * line is a step. The mode must be in the prompt even if the steps are in a file, because the executor reads no files.
 */
export function findScenario(prompt: string): FoundScenario {
  const whole = prompt.split(/\r?\n/);
  const added = whole.indexOf(FLEET_SEPARATOR);
  const lines = added === -1 ? whole : whole.slice(0, added);
  const block = fenced(lines);
  if (block !== undefined) return { in: 'prompt', text: block, mode: modeOf(block.split('\n')) };
  const named = lines.findIndex((line) => /^\s*scenario:\s*\S/.test(line));
  if (named !== -1) {
    const path = (lines[named] ?? '').replace(/^\s*scenario:\s*/, '').trim();
    return { in: 'file', path, mode: modeOf(lines.slice(0, named)) };
  }
  const first = lines.find((line) => !isBlankOrComment(line));
  if (first !== undefined && looksLikeStep(first)) return { in: 'prompt', text: lines.join('\n'), mode: modeOf(lines) };
  return { in: 'nothing', mode: 'oneway' };
}

function modeOf(lines: readonly string[]): ScenarioMode {
  const first = lines.find((line) => !isBlankOrComment(line))?.trim() ?? '';
  return isMode(first) ? first : 'oneway';
}

function fenced(lines: readonly string[]): string | undefined {
  const start = lines.findIndex((line) => /^\s*`{3,}\s*scenario\s*$/.test(line));
  if (start === -1) return undefined;
  const fence = /`+/.exec(lines[start] ?? '')?.[0] ?? '```';
  const end = lines.findIndex((line, index) => index > start && line.trim() === fence);
  return lines.slice(start + 1, end === -1 ? undefined : end).join('\n');
}
