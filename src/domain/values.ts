import { z } from 'zod';
import { LIMITS } from './limits.ts';

const ULID = '[0-9a-hjkmnp-tv-z]{26}';
const id = <Prefix extends string>(prefix: Prefix, noun: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_${ULID}$`), `not the id of a ${noun}: expected ${prefix}_ and 26 characters`)
    .brand<Prefix>();

export const TaskId = id('task', 'task');
export type TaskId = z.infer<typeof TaskId>;
export const RunId = id('run', 'run');
export type RunId = z.infer<typeof RunId>;
export const ClaimId = id('claim', 'claim');
export type ClaimId = z.infer<typeof ClaimId>;
export const ProjectId = id('project', 'project');
export type ProjectId = z.infer<typeof ProjectId>;
export const QuestionId = id('question', 'question');
export type QuestionId = z.infer<typeof QuestionId>;
export const TokenId = id('token', 'token');
export type TokenId = z.infer<typeof TokenId>;
export const LinkId = id('link', 'link');
export type LinkId = z.infer<typeof LinkId>;
export const HostId = id('host', 'host');
export type HostId = z.infer<typeof HostId>;
/** Workspaces are few and people name them: their ids are short. */
export const WorkspaceId = z
  .string()
  .regex(/^ws_[1-9]\d{0,8}$/, 'not the id of a workspace: expected ws_ and a number')
  .brand<'ws'>();
export type WorkspaceId = z.infer<typeof WorkspaceId>;

/** A moment as text of fixed width, so that moments sort as text. */
export const Instant = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, 'not a moment like 2030-01-31T12:00:00.000Z');
export type Instant = z.infer<typeof Instant>;

export { instantOf, msOf } from './moment.ts';

const bytes = (text: string) => new TextEncoder().encode(text).length;
const hasNul = (text: string) => text.includes('\0');
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is being refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Text of several lines. NUL is refused because no program takes it as an argument, and so are unpaired surrogates. */
export const text = (maxBytes: number) =>
  z
    .string()
    .refine((value) => !hasNul(value), 'contains a NUL character: remove it')
    .refine((value) => value.isWellFormed(), 'contains half of a Unicode character: send valid Unicode')
    // No UTF-16 unit takes more than three bytes: a short text need not be encoded to be counted.
    .refine((value) => value.length * 3 <= maxBytes || bytes(value) <= maxBytes, {
      error: ({ input }) => `is ${bytes(String(input))} bytes long, at most ${maxBytes} are accepted`,
    });

/** Text of one line that is not blank. */
export const line = (maxCharacters: number) =>
  z
    .string()
    .refine((value) => value.trim() !== '', 'is empty: say at least one word')
    .refine((value) => !CONTROL.test(value), 'contains a line break or a control character: use one plain line')
    .refine((value) => value.isWellFormed(), 'contains half of a Unicode character: send valid Unicode')
    .refine((value) => value.length <= maxCharacters || [...value].length <= maxCharacters, {
      error: ({ input }) => `is ${[...String(input)].length} characters long, at most ${maxCharacters} are accepted`,
    });

export const Title = line(LIMITS.titleCharacters.value);
export const Prompt = text(LIMITS.promptBytes.value).refine((value) => value.trim() !== '', 'is empty: say what is to be done');
export const LongText = text(LIMITS.textFieldBytes.value);
export const Path = text(LIMITS.pathBytes.value).refine((value) => value.trim() !== '', 'is empty: name a directory');
export const Command = text(LIMITS.commandCharacters.value).refine((value) => value.trim() !== '', 'is empty: give a command');

/** The name of an environment variable; `*` stands for any letters. */
export const VariableName = z
  .string()
  .regex(/^[A-Za-z_*][A-Za-z0-9_*]{0,127}$/, 'not the name of a variable: letters, digits, _ and * only');

/** A name chosen by a person: a letter or digit of any script, then also space, dot, dash and underscore. */
export const Name = line(LIMITS.nameCharacters.value).refine((value) => /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]*$/u.test(value), {
  error: ({ input }) =>
    `${JSON.stringify(input)} is not a usable name: begin with a letter or digit, then letters, digits, spaces, '.', '_' or '-'`,
});

export const Tag = line(LIMITS.nameCharacters.value);

/** A branch, tag or commit. Git decides what it means; text that git could read as an option or a range is refused here. */
export const Ref = line(LIMITS.refCharacters.value).refine((value) => /^(?!-)(?!.*\.\.)[^\s~^:?*[\\]+$/.test(value), {
  error: ({ input }) => `${JSON.stringify(input)} is not a usable branch or commit name`,
});

/** A text that may be long: whole if it is short, otherwise its beginning and the blob that holds all of it. */
export const StoredText = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ excerpt: z.string(), blob: z.string().regex(/^[0-9a-f]{64}$/), bytes: z.int().min(0) }),
]);
export type StoredText = z.infer<typeof StoredText>;
