import { nearest } from '../../platform/nearest.ts';
import type { Job } from '../executor.ts';
import { type Place, refuse } from './toml-values.ts';

const PLACEHOLDERS = ['prompt', 'prompt_file', 'model', 'result_file', 'mcp_config'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

/** A Linux program takes at most 128 KB in one argument. */
const longestArgumentBytes = 100 * 1024;
const marked = /\{\{(\w+)\}\}|\{([a-z_]+)\}/g;

export function checkTemplate(text: string, place: Place): void {
  for (const [whole, literal, name = ''] of text.matchAll(marked)) {
    if (literal !== undefined || isPlaceholder(name)) continue;
    const candidate = nearest(name, PLACEHOLDERS);
    const known = PLACEHOLDERS.map((word) => `{${word}}`).join(', ');
    refuse(
      place,
      text,
      `${candidate ? `{${candidate}}` : `one of ${known}`} instead of ${whole}, or {${whole}} for the word itself`,
    );
  }
}

/** Whether the prompt reaches the program through this text. */
export const carriesPrompt = (text: string): boolean =>
  [...text.matchAll(marked)].some(([, , name]) => name === 'prompt' || name === 'prompt_file');

/** Undefined when it needs something that the job does not have. */
function filled(template: string, job: Job): string | undefined {
  const named = [...template.matchAll(marked)].flatMap(([, , name]) => (name !== undefined && isPlaceholder(name) ? name : []));
  if (named.some((name) => valueOf(name, job) === undefined)) return undefined;
  const text = template.replaceAll(marked, (whole, literal: string | undefined, name: string | undefined) => {
    if (literal !== undefined) return `{${literal}}`;
    return name !== undefined && isPlaceholder(name) ? (valueOf(name, job) ?? '') : whole;
  });
  return text.replaceAll('\0', '\ufffd');
}

/** An argument that needs what is missing goes, and the flag before it when the argument is nothing else. */
export function filledArguments(templates: readonly string[], job: Job): string[] {
  const args: string[] = [];
  for (const template of templates) {
    const text = filled(template, job);
    if (text !== undefined) args.push(text);
    else if (/^\{[a-z_]+\}$/.test(template) && args.at(-1)?.startsWith('-')) args.pop();
  }
  return args;
}

/** A variable that needs what is missing is not set. */
export const environmentOf = (templates: Readonly<Record<string, string>>, job: Job): Record<string, string> =>
  Object.fromEntries(
    Object.entries(templates).flatMap(([name, template]) => {
      const value = filled(template, job);
      return value === undefined ? [] : [[name, value]];
    }),
  );

const isPlaceholder = (name: string): name is Placeholder => PLACEHOLDERS.some((word) => word === name);

function valueOf(name: Placeholder, job: Job): string | undefined {
  switch (name) {
    case 'prompt':
      return fits(job.prompt) ? job.prompt : `Read the file ${job.promptFile} and do what it says.`;
    case 'prompt_file':
      return job.promptFile;
    case 'model':
      return job.model;
    case 'result_file':
      return job.resultFile;
    case 'mcp_config':
      return job.mcpConfig;
  }
}

const fits = (text: string): boolean => Buffer.byteLength(text) <= longestArgumentBytes;
