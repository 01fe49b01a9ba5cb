/** A page to read the OpenAPI document by. Made on the server, without a script: nothing in it acts. */
type Json = Readonly<Record<string, unknown>>;

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: Json; description?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Json }>> };
  readonly responses: Readonly<Record<string, { description: string; content?: Readonly<Record<string, { schema: Json }>> }>>;
}

interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly summary: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

export function docsPage(json: unknown): string {
  const { info, tags, paths, components } = json as Document;
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method, described })),
  );
  const sections = tags.map(
    ({ name }) =>
      `<section id="${escaped(name)}"><h2>${escaped(name)}</h2>${all
        .filter(({ described }) => described.tags.includes(name))
        .map(card)
        .join('')}</section>`,
  );
  const shapes = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="shape-${escaped(name)}"><summary><b>${escaped(name)}</b></summary><pre>${schemaText(schema)}</pre></details>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(info.title)} API ${escaped(info.version)}</title><link rel="stylesheet" href="/docs/style.css"></head><body>
<nav><b>${escaped(info.title)}</b> ${escaped(info.version)}${tags.map(({ name }) => `<a href="#${escaped(name)}">${escaped(name)}</a>`).join('')}<a href="#shapes">shapes</a><a href="/openapi.json">openapi.json</a></nav>
<main><h1>${escaped(info.title)} API</h1><p>${escaped(info.summary)}</p><p>${marked(info.description)}</p>
<pre>${escaped(EXAMPLE)}</pre>
${sections.join('\n')}
<section id="shapes"><h2>shapes</h2>${shapes.join('')}</section></main></body></html>`;
}

const EXAMPLE = `curl -H "Authorization: Bearer $(cat ~/.fleet/admin.token)" http://127.0.0.1:3847/v1/tasks?limit=5`;

function card({ path, method, described }: { path: string; method: string; described: Described }): string {
  const { summary, description, parameters, requestBody, responses } = described;
  const rows = parameters.map(
    ({ name, in: where, required, schema, description: about }) =>
      `<tr><td><code>${escaped(name)}</code>${required ? ' *' : ''}</td><td>${where}</td><td>${typeText(schema)}</td><td>${escaped(about ?? '')}</td></tr>`,
  );
  const body = requestBody?.content['application/json']?.schema as
    | { properties?: Record<string, Json>; required?: string[] }
    | undefined;
  const fields = Object.entries(body?.properties ?? {}).map(
    ([name, schema]) =>
      `<tr><td><code>${escaped(name)}</code>${body?.required?.includes(name) ? ' *' : ''}</td><td>body</td><td>${typeText(schema)}</td><td>${escaped(schema['description'] ?? '')}</td></tr>`,
  );
  const answers = Object.entries(responses).map(([status, { description: about, content }]) => {
    const schema = Object.values(content ?? {})[0]?.schema ?? {};
    return `<li><code>${status}</code> ${escaped(about)} <small>${typeText(schema)}</small></li>`;
  });
  return `<details id="${escaped(described.operationId)}"><summary><code class="${method}">${method.toUpperCase()}</code> <code>${escaped(path)}</code> ${escaped(summary)}</summary>
<p>${escaped(description)}</p>${rows.length + fields.length > 0 ? `<table>${rows.join('')}${fields.join('')}</table>` : ''}<ul>${answers.join('')}</ul></details>`;
}

function typeText(schema: Json): string {
  const { $ref: to, type, items, enum: choices } = schema;
  if (typeof to === 'string') {
    const name = to.slice(to.lastIndexOf('/') + 1);
    return `<a href="#shape-${escaped(name)}">${escaped(name)}</a>`;
  }
  if (Array.isArray(choices)) return choices.map((choice) => `<code>${escaped(choice)}</code>`).join(' ');
  if (type === 'array') return `list of ${typeText((items ?? {}) as Json)}`;
  if (type === 'object' && 'properties' in schema)
    return `{ ${Object.keys(schema['properties'] as object)
      .map(escaped)
      .join(', ')} }`;
  return escaped(type ?? 'any');
}

const schemaText = (schema: Json): string => escaped(JSON.stringify(schema, null, 2));
const marked = (text: string): string => escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (value: unknown): string => String(value).replaceAll(/[&<>"']/g, (letter) => ENTITIES[letter] ?? '');

export const DOCS_STYLE = `:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}
body{margin:0;display:flex;flex-wrap:wrap}
nav{position:sticky;top:0;align-self:flex-start;padding:1.5rem;display:flex;flex-direction:column;gap:.25rem;min-width:9rem}
nav a{color:inherit;opacity:.75;text-decoration:none}nav a:hover{opacity:1;text-decoration:underline}
main{box-sizing:border-box;flex:1;min-width:min(100%,38rem);max-width:64rem;padding:1rem 1.5rem 4rem}
h2{margin-top:2.5rem;border-bottom:1px solid #8884}
details{border:1px solid #8883;border-radius:6px;margin:.4rem 0;padding:.4rem .75rem}
summary{cursor:pointer}code,pre{font:13px/1.45 ui-monospace,monospace}
pre{background:#8881;padding:.75rem;border-radius:6px;overflow:auto}
table{border-collapse:collapse;width:100%}td{border-top:1px solid #8883;padding:.25rem .5rem;vertical-align:top}
.get{color:#2a7}.post{color:#27c}.patch{color:#b70}.delete{color:#c33}
`;
