import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { METRICS, type Metric, type MetricName } from '../../surfaces/metrics/metrics-table.ts';

type OfType<Type extends Metric['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];
type Labels = Readonly<Record<string, string>>;

/** Exactly the figures of the table, in Prometheus' text format. */
export interface Meters {
  readonly type: string;
  add(name: CounterName, labels?: Labels, by?: number): void;
  /** A counter that somebody else keeps. */
  total(name: CounterName, value: number, labels?: Labels): void;
  set(name: GaugeName, value: number, labels?: Labels): void;
  /** One gauge anew: what is not among these has no value any more. */
  replace(name: GaugeName, values: readonly { readonly value: number; readonly labels?: Labels }[]): void;
  shift(name: GaugeName, by: 1 | -1, labels?: Labels): void;
  observe(name: HistogramName, seconds: number, labels?: Labels): void;
  text(): Promise<string>;
}

type CounterName = Metered<'counter'>;
type GaugeName = Metered<'gauge'>;
type HistogramName = Metered<'histogram'>;
type Metered<Type extends Metric['type']> = OfType<Type> extends never ? MetricName : OfType<Type>;

export function openMeters(): Meters {
  const registry = new Registry();
  const made = new Map<string, Counter | Gauge | Histogram>();
  for (const [name, { type, labels, summary, buckets }] of Object.entries<Metric>(METRICS)) {
    const config = { name, help: summary, labelNames: [...labels], registers: [registry] };
    if (type === 'counter') made.set(name, new Counter(config));
    else if (type === 'gauge') {
      const gauge = new Gauge(config);
      // Absent is not 0: what nobody has measured yet is not shown.
      gauge.remove({});
      made.set(name, gauge);
    } else made.set(name, new Histogram({ ...config, buckets: [...(buckets ?? [])] }));
  }
  const counterOf = (name: CounterName) => made.get(name) as Counter;
  const gaugeOf = (name: GaugeName) => made.get(name) as Gauge;
  return {
    type: registry.contentType,
    add: (name, labels = {}, by = 1) => counterOf(name).inc(labels, by),
    total: (name, value, labels = {}) => {
      const counter = counterOf(name);
      counter.remove(labels);
      counter.inc(labels, value);
    },
    set: (name, value, labels = {}) => gaugeOf(name).set(labels, value),
    replace: (name, values) => {
      const gauge = gaugeOf(name);
      gauge.reset();
      gauge.remove({});
      for (const { value, labels = {} } of values) gauge.set(labels, value);
    },
    shift: (name, by, labels = {}) => gaugeOf(name).inc(labels, by),
    observe: (name, seconds, labels = {}) => (made.get(name) as Histogram).observe(labels, seconds),
    text: () => registry.metrics(),
  };
}
