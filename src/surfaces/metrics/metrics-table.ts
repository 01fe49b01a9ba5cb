/** One figure that is shown at /metrics. */
export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly summary: string;
  /** Upper bounds, in seconds. */
  readonly buckets?: readonly number[];
}

const counter = (summary: string, labels: readonly string[] = []): Metric => ({ type: 'counter', labels, summary });
const gauge = (summary: string, labels: readonly string[] = []): Metric => ({ type: 'gauge', labels, summary });
const histogram = (summary: string, buckets: readonly number[], labels: readonly string[] = []): Metric => ({
  type: 'histogram',
  labels,
  summary,
  buckets,
});

const REQUESTS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];
const WORK = [1, 5, 15, 60, 300, 900, 1_800, 3_600, 14_400, 86_400];

/** Everything /metrics says. `docs/reference/metrics.md` is made from this table, and nothing else is ever registered. */
export const METRICS = {
  fleet_info: gauge('always 1; its label is the version', ['version']),
  fleet_engine_lease: gauge('1 while this process holds the lease of the engine'),
  fleet_settings_problem: gauge('1 while the settings file has a fault and older settings are in force'),
  fleet_tasks: gauge('tasks in each phase, as last counted', ['phase']),
  fleet_ready_oldest_seconds: gauge('how long the oldest queued task has waited; 0 when none waits'),
  fleet_runs_live: gauge('runs of this machine that have not ended, as last counted', ['executor', 'kind']),
  fleet_questions_pending: gauge('questions that wait for an answer, as last counted'),
  fleet_count_age_seconds: gauge('age of those counts; absent until something has been counted'),
  fleet_tasks_created_total: counter('tasks created or imported'),
  fleet_tasks_ended_total: counter('tasks that came to an end, by phase', ['phase']),
  fleet_task_duration_seconds: histogram('from the creation of a task to its end', WORK, ['phase']),
  fleet_task_retries_total: counter('tasks put back into the queue after an accident, by how their run ended', ['outcome']),
  fleet_task_repairs_total: counter('times an agent was told that what it claimed is not so'),
  fleet_task_blocks_total: counter('times a task had to wait for a person, by cause', ['cause']),
  fleet_runs_started_total: counter('runs claimed', ['executor', 'kind']),
  fleet_runs_ended_total: counter('runs that ended, by outcome', ['executor', 'kind', 'outcome']),
  fleet_run_duration_seconds: histogram('from the claim of a run to its end', WORK, ['executor', 'kind']),
  fleet_run_tokens_total: counter('tokens that ended agent runs said they used', ['executor', 'direction']),
  fleet_run_cost_usd_total: counter('US dollars that ended agent runs said they cost', ['executor']),
  fleet_runs_usage_unknown_total: counter('ended agent runs that said nothing of tokens: those figures lack them', ['executor']),
  fleet_runs_cost_unknown_total: counter('ended agent runs that said nothing of money: that figure lacks them', ['executor']),
  fleet_landings_total: counter('ends of a landing: landed, repair, blocked or canceled', ['result']),
  fleet_questions_total: counter('questions asked and answered', ['event']),
  fleet_store_latency_seconds: histogram('time of one read of the store, looked at every few seconds', REQUESTS),
  fleet_store_answer_age_seconds: gauge('since the store last answered'),
  fleet_store_commits_total: counter('commits of this process'),
  fleet_event_loop_lag_seconds: gauge('how late the newest timer of this process was'),
  fleet_event_loop_busy_ratio: gauge('share of the last few seconds the event loop was busy'),
  fleet_http_requests_total: counter('requests answered, by route template', ['method', 'route', 'status']),
  fleet_http_request_duration_seconds: histogram('time until a request was answered', REQUESTS, ['method', 'route']),
  fleet_http_connections: gauge('connections to the server'),
  fleet_live_clients: gauge('open live streams: events or websocket', ['kind']),
  fleet_trace_spans_total: counter('spans sent, or dropped because nobody took them', ['result']),
  fleet_trace_backlog: gauge('runs and tasks whose spans have not been sent; absent without tracing'),
  process_start_time_seconds: gauge('when this process began, in seconds since 1970'),
  process_cpu_seconds_total: counter('processor time of this process', ['mode']),
  process_resident_memory_bytes: gauge('memory of this process'),
  process_open_fds: gauge('open files and sockets of this process'),
  nodejs_heap_size_total_bytes: gauge('JavaScript heap, in all'),
  nodejs_heap_size_used_bytes: gauge('JavaScript heap, in use'),
  nodejs_external_memory_bytes: gauge('memory outside of the JavaScript heap'),
  nodejs_version_info: gauge('always 1; its label is the version', ['version']),
} as const satisfies Record<`${'fleet' | 'process' | 'nodejs'}_${string}`, Metric>;

export type MetricName = keyof typeof METRICS;
