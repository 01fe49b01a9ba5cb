/** The pages of docs/reference, each made from one table of the code. */

import { z } from 'zod';
import { contract } from '../src/contract/index.ts';
import { mayCall, STANDINGS } from '../src/domain/authority.ts';
import { FAULT_CODES } from '../src/domain/fault.ts';
import { LIMITS } from '../src/domain/limits.ts';
import { OUTCOMES } from '../src/domain/run/run.ts';
import { SETTINGS } from '../src/domain/settings.ts';
import { isFinal, Phase } from '../src/domain/task/task.ts';
import { EXIT_CODE_MEANINGS, EXIT_CODES } from '../src/surfaces/cli/exit-codes.ts';
import { TOOL_SETS } from '../src/surfaces/mcp/tool-sets.ts';
import { METRICS, type Metric } from '../src/surfaces/metrics/metrics-table.ts';

type Json = Readonly<Record<string, unknown>>;

export const limitsPage = (): string =>
  page('Limits', 'Everything that can grow, and where it stops. Going past one is refused with the fault `limit` or `invalid`.', [
    table(
      ['limit', 'value', 'bounds'],
      Object.entries(LIMITS).map(([name, { value, unit, summary }]) => [
        code(name),
        `${value.toLocaleString('en')} ${unit}`,
        summary,
      ]),
    ),
  ]);

export const faultsPage = (): string =>
  page('Faults', 'A fault is an expected refusal. Its code is one of these, on every surface.', [
    table(
      ['code', 'means', 'exit code', 'answered by'],
      FAULT_CODES.map((fault) => [code(fault), EXIT_CODE_MEANINGS[fault], String(EXIT_CODES[fault]), usersOf(fault)]),
    ),
    ['## Exit codes', '', table(['exit code', 'means'], exitCodes())].join('\n'),
  ]);

function exitCodes(): string[][] {
  const names = Object.keys(EXIT_CODES) as (keyof typeof EXIT_CODES)[];
  return names
    .toSorted((a, b) => EXIT_CODES[a] - EXIT_CODES[b])
    .map((name) => [String(EXIT_CODES[name]), EXIT_CODE_MEANINGS[name]]);
}

function usersOf(fault: (typeof FAULT_CODES)[number]): string {
  const users = contract.filter(({ faults }) => (faults as readonly string[]).includes(fault)).map(({ name }) => code(name));
  return users.length === contract.length ? 'every operation' : users.join(', ') || 'no operation by itself';
}

export const permissionsPage = (): string =>
  page(
    'Permissions',
    'Who may call what, on every surface. A worker, a run and a token of one team see only what is theirs: whatever belongs to others is not found.',
    [
      table(
        ['operation', ...STANDINGS],
        contract.map((operation) => [
          code(operation.name),
          ...STANDINGS.map((standing) => (mayCall(standing, operation) ? '✓' : '')),
        ]),
      ),
    ],
  );

export const operationsPage = (): string =>
  page(
    'Operations',
    'Everything that can be asked of Fleet, by people and agents alike. Each is declared once and offered on every surface.',
    [
      table(
        ['operation', 'kind', 'role', 'does'],
        contract.map(({ name, kind, role, summary }) => [`[${code(name)}](#${name.replaceAll('.', '')})`, kind, role, summary]),
      ),
      ...contract.map(({ name, kind, role, summary, input, faults }) =>
        [
          `## ${name}`,
          '',
          summary,
          '',
          `A ${kind} of role ${code(role)}. Faults: ${faults.map(code).join(', ') || 'none'}.`,
          ...inputTable(input),
        ].join('\n'),
      ),
    ],
  );

function inputTable(input: z.ZodType): string[] {
  const { properties = {}, required = [] } = jsonSchema(input) as { properties?: Record<string, Json>; required?: string[] };
  const fields = Object.entries(properties);
  if (fields.length === 0) return ['', 'It takes no input.'];
  const rows = fields.map(([name, schema]) => [
    code(name),
    required.includes(name) ? 'yes' : '',
    typeWords(schema),
    description(schema),
  ]);
  return ['', table(['input', 'required', 'type', 'meaning'], rows)];
}

const description = ({ description: words, default: preset }: Json): string =>
  [typeof words === 'string' ? words : '', preset === undefined ? '' : `(default ${code(JSON.stringify(preset))})`]
    .filter((part) => part !== '')
    .join(' ');

export const settingsPage = (): string =>
  page(
    'Settings',
    'What `runtime.toml` in the home of Fleet may say. The environment variable of a setting wins over the file.',
    [
      table(
        ['setting', 'type', 'default', 'environment', 'meaning'],
        Object.entries(SETTINGS).map(([name, setting]) => [
          code(name),
          typeWords(jsonSchema(setting.schema)),
          setting.default === undefined ? 'unset' : code(JSON.stringify(setting.default)),
          code(setting.env),
          setting.summary,
        ]),
      ),
    ],
  );

export const phasesPage = (): string =>
  page('Phases and outcomes', 'Where a task can stand, what is known about it there, and how a run can end.', [
    table(
      ['phase of a task', 'final', 'carries'],
      Phase.options.map(({ shape }) => {
        const state = shape.state.value;
        const fields = Object.keys(shape).filter((field) => field !== 'state');
        return [code(state), isFinal({ state } as Phase) ? 'yes' : '', fields.map(code).join(', ')];
      }),
    ),
    ['## Outcomes of a run', '', OUTCOMES.map(code).join(', ')].join('\n'),
  ]);

export const metricsPage = (): string =>
  page(
    'Metrics',
    'What `/metrics` says, in the text format of Prometheus. Counters and histograms count what this process has seen since it began; what is "as last counted" comes from a count in the background, whose age is a figure too.',
    [
      table(
        ['metric', 'type', 'labels', 'says'],
        Object.entries<Metric>(METRICS).map(([name, { type, labels, summary, buckets }]) => [
          code(name),
          type,
          labels.map(code).join(', '),
          buckets ? `${summary}; buckets ${buckets.join(', ')} s` : summary,
        ]),
      ),
    ],
  );

const jsonSchema = (schema: z.ZodType): Json => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

function typeWords(schema: Json): string {
  const { type, enum: choices, items, anyOf, const: only, minimum, maximum } = schema;
  if (Array.isArray(choices)) return choices.map((choice) => code(String(choice))).join(', ');
  if (only !== undefined) return code(JSON.stringify(only));
  if (type === 'array') return `list of ${typeWords((items ?? {}) as Json)}`;
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map((option: Json) => typeWords(option)))].join(' or ');
  if (type === 'integer' && typeof minimum === 'number' && typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER)
    return `${minimum} to ${maximum}`;
  return typeof type === 'string' ? type : 'any';
}

const code = (text: string): string => `\`${text}\``;

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export const page = (title: string, lead: string, parts: readonly string[]): string =>
  `<!-- Made by \`npm run docs\` from the code. Change the code, not this file. -->\n\n# ${title}\n\n${lead}\n\n${parts.join('\n\n')}\n`;

export function toolSetsTable(): string {
  const rows = Object.entries(TOOL_SETS).map(
    ([name, { about, tools }]) => `| \`${name}\` | ${about} | ${tools.map((tool) => `\`${tool.name}\``).join(', ')} |`,
  );
  return ['| set | for | tools |', '|---|---|---|', ...rows].join('\n');
}
