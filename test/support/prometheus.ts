/** One sample of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Scraped {
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly Sample[];
  /** The value of one series; undefined when there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (NaN|[+-]Inf|[+-]?[0-9.]+(?:e[+-]?\\d+)?)$`);
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
const OF_HISTOGRAM = /_(bucket|sum|count)$/;

/** Prometheus' text format 0.0.4, read as strictly as its description: throws what is wrong with the line. */
export function scraped(text: string): Scraped {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  const seen = new Set<string>();
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, kind, of = '', rest = ''] = new RegExp(`^# (HELP|TYPE) (${NAME})(?: (.*))?$`).exec(line) ?? [];
    if (kind === 'TYPE') {
      if (types.has(of) || !['counter', 'gauge', 'histogram'].includes(rest)) throw new Error(`a second or odd type: ${line}`);
      types.set(of, rest);
    }
    if (line.startsWith('#')) continue;
    const sample = sampleIn(line);
    const series = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).toSorted(([a], [b]) => a.localeCompare(b)))}`;
    if (seen.has(series)) throw new Error(`told twice: ${line}`);
    seen.add(series);
    if (!types.has(sample.name) && types.get(sample.name.replace(OF_HISTOGRAM, '')) !== 'histogram')
      throw new Error(`of no type: ${line}`);
    samples.push(sample);
  }
  const value: Scraped['value'] = (name, labels = {}) =>
    samples.find((one) => one.name === name && Object.entries(labels).every(([key, wanted]) => one.labels[key] === wanted))
      ?.value;
  return { types, samples, value };
}

function sampleIn(line: string): Sample {
  const [, name = '', inside = '', value = ''] = SAMPLE.exec(line) ?? [];
  if (name === '') throw new Error(`no sample: ${line}`);
  const labels: Record<string, string> = {};
  for (LABEL.lastIndex = 0; LABEL.lastIndex < inside.length; ) {
    const found = LABEL.exec(inside);
    if (!found) throw new Error(`odd labels: ${line}`);
    labels[found[1] ?? ''] = (found[2] ?? '').replaceAll(/\\(["\\n])/g, (_, one: string) => (one === 'n' ? '\n' : one));
  }
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}
