import { nearest } from '../../platform/nearest.ts';
import type { Job } from '../executor.ts';
import { refuse, type TomlPlace } from './toml-values.ts';

const PLACEHOLDERS = ['prompt', 'prompt_file', 'model', 'result_file', 'mcp_config'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

/** Linux allows at most 128 KB in one argument. */
const longestArgumentBytes = 100 * 1024;
const marked = /\{\{(\w+)\}\}|\{([a-z_]+)\}/g;

export function checkTemplate(text: string, place: TomlPlace): void {
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

/** Whether this template passes the prompt to the program. */
export const carriesPrompt = (text: string): boolean =>
  [...text.matchAll(marked)].some(([, , name]) => name === 'prompt' || name === 'prompt_file');

/** The filled-in template; undefined if the job lacks a value it needs. */
function filled(template: string, job: Job): string | undefined {
  const named = [...template.matchAll(marked)].flatMap(([, , name]) => (name !== undefined && isPlaceholder(name) ? name : []));
  if (named.some((name) => valueOf(name, job) === undefined)) return undefined;
  const text = template.replaceAll(marked, (whole, literal: string | undefined, name: string | undefined) => {
    if (literal !== undefined) return `{${literal}}`;
    return name !== undefined && isPlaceholder(name) ? (valueOf(name, job) ?? '') : whole;
  });
  return text.replaceAll('\0', '\ufffd');
}

/** The arguments. One that lacks a value is left out; if it is only a placeholder, the flag before it is left out too. */
export function filledArguments(templates: readonly string[], job: Job): string[] {
  const args: string[] = [];
  for (const template of templates) {
    const text = filled(template, job);
    if (text !== undefined) args.push(text);
    else if (/^\{[a-z_]+\}$/.test(template) && args.at(-1)?.startsWith('-')) args.pop();
  }
  return args;
}

/** The variables. One that lacks a value is not set. */
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
