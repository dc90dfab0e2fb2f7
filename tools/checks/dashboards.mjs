/** Makes Grafana's dashboards as JSON for `deploy/helm/tranche/dashboards`. Each panel is a row `[title, unit, PromQL, legend]`. */

const p99 = (metric, by) =>
  `histogram_quantile(0.99, sum by (le${by ? `, ${by}` : ''}) (rate(${metric}_bucket[$__rate_interval])))`;
const rate = (metric, by) => `sum by (${by}) (rate(${metric}[$__rate_interval]))`;

export const DASHBOARDS = {
  'on-call': {
    title: 'Tranche: on call',
    panels: [
      ['Operations in doubt', 'short', 'sum by (merchant, reason) (tranche_doubts)', '{{merchant}} {{reason}}'],
      [
        'Conflicts, 6 h',
        'short',
        'sum by (merchant, reason) (increase(tranche_conflicts_total[6h]))',
        '{{merchant}} {{reason}}',
      ],
      ['Oldest doubt', 's', 'max(tranche_doubt_oldest_age_seconds)', 'oldest'],
      ['Rails stopped', 'short', 'max by (rail) (tranche_rail_breaker_open)', '{{rail}}'],
      ['Command to event, p99', 's', p99('tranche_command_to_event_seconds', 'type'), '{{type}}'],
      ['Oldest waiting record', 's', 'max by (group) (kafka_oldest_record_age_seconds)', '{{group}}'],
      ['Consumer lag', 'short', 'sum by (group) (kafka_partition_lag)', '{{group}}'],
      ['Notifications', 'ops', rate('ingest_notifications_total', 'result'), '{{result}}'],
      ['Index behind the journal', 's', 'max(tranche_index_behind_seconds)', 'longest'],
      [
        'Connections to Redis that are away',
        'short',
        'count by (job, redis) (tranche_redis_connected == 0)',
        '{{job}} {{redis}}',
      ],
      ['Instances', 'short', 'sum by (job) (up)', '{{job}}'],
    ],
  },
  gateway: {
    title: 'Tranche: gateway',
    panels: [
      ['Commands', 'ops', rate('tranche_commands_total', 'outcome'), '{{outcome}}'],
      [
        'Calls of the platform',
        'ops',
        rate('tranche_platform_calls_total', 'operation, outcome'),
        '{{operation}} {{outcome}}',
      ],
      ['Calls by EXECCODE', 'ops', rate('tranche_platform_calls_total', 'execcode'), '{{execcode}}'],
      ['Time of a call, p99', 's', p99('tranche_platform_call_seconds', 'operation'), '{{operation}}'],
      ['Command to event, p99', 's', p99('tranche_command_to_event_seconds', 'type'), '{{type}}'],
      ['In flight', 'short', 'sum by (group) (kafka_records_in_flight)', '{{group}}'],
      ['Queued', 'short', 'sum by (group) (kafka_records_queued)', '{{group}}'],
      ['Repeats', 'ops', rate('kafka_record_retries_total', 'group'), '{{group}}'],
      ['Commands forwarded', 'ops', rate('tranche_commands_forwarded_total', 'merchant'), '{{merchant}}'],
      ['Look-ups', 'ops', rate('tranche_look_ups_total', 'outcome'), '{{outcome}}'],
      [
        'Signatures of commands',
        'ops',
        rate('tranche_command_signatures_total', 'merchant, outcome'),
        '{{merchant}} {{outcome}}',
      ],
      ['Rails blocked', 'short', 'sum by (rail) (increase(tranche_rail_breaker_opened_total[1h]))', '{{rail}}'],
    ],
  },
  ingest: {
    title: 'Tranche: notifications',
    panels: [
      ['Notifications', 'ops', rate('ingest_notifications_total', 'result'), '{{result}}'],
      ['Not in quarantine', 'ops', rate('ingest_quarantine_dropped_total', 'reason'), '{{reason}}'],
      ['Waiting for Kafka', 'short', 'sum(ingest_waiting_notifications)', 'notifications'],
      ['Bytes that wait', 'bytes', 'sum(ingest_waiting_bytes)', 'bytes'],
      ['Limited', 'ops', 'sum(rate(ingest_limited_total[$__rate_interval]))', '429'],
      ['Connections cut', 'ops', rate('ingest_connections_cut_total', 'reason'), '{{reason}}'],
      ['Bodies cut', 'ops', 'sum(rate(http_server_incoming_bodies_cut_total[$__rate_interval]))', 'bodies'],
      ['Browsers returned', 'ops', rate('ingest_returns_total', 'result'), '{{result}}'],
      ['Requests, p99', 's', p99('http_server_request_duration_seconds'), 'p99'],
    ],
  },
  'tokens-and-keys': {
    title: 'Tranche: tokens and keys',
    panels: [
      ['Tokens handed out', 'ops', rate('auth_tokens_served_total', 'source'), '{{source}}'],
      ['Token API, p99', 's', p99('auth_token_api_seconds', 'operation, outcome'), '{{operation}} {{outcome}}'],
      ['Cache entries refused', 'ops', rate('auth_cache_entries_refused_total', 'reason'), '{{reason}}'],
      ['Keys handed out', 'ops', rate('cse_keys_served_total', 'source'), '{{source}}'],
      ['Changes of keys', 'short', 'sum by (change) (increase(cse_key_changes_total[1h]))', '{{change}}'],
      ['Key provider, p99', 's', p99('cse_key_provider_seconds', 'outcome'), '{{outcome}}'],
      ['Requests without a key', 'ops', rate('cse_requests_refused_total', 'code'), '{{code}}'],
      ['Events dropped', 'ops', rate('kafka_events_dropped_total', 'topic, reason'), '{{topic}} {{reason}}'],
    ],
  },
  'journal-and-index': {
    title: 'Tranche: journal and index',
    panels: [
      ['Produce to acknowledgement, p99', 's', p99('kafka_produce_seconds'), 'p99'],
      ['Records produced', 'ops', rate('kafka_records_produced_total', 'result'), '{{result}}'],
      ['Index behind the journal', 'short', 'max by (partition) (tranche_index_behind_records)', '{{partition}}'],
      ['Partitions stopped', 'short', 'max by (partition) (tranche_journal_partition_stopped)', '{{partition}}'],
      ['Rebuild, remaining', 'short', 'sum(tranche_index_rebuild_remaining_records)', 'records'],
      ['Rebuild', 'ops', 'sum(rate(tranche_index_rebuild_records_total[$__rate_interval]))', 'records'],
      ['Orders in memory', 'short', 'sum(tranche_orders_in_memory)', 'orders'],
      ['Clocks apart', 's', 'max by (instance) (abs(tranche_clocks_apart_seconds))', '{{instance}}'],
      ['Rebalances', 'short', 'sum by (group) (increase(kafka_rebalances_total[1h]))', '{{group}}'],
      ['Keys that Redis evicted', 'short', 'max(tranche_redis_evicted_keys)', 'keys'],
    ],
  },
};

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

export function dashboardOf(uid) {
  const { title, panels } = DASHBOARDS[uid];
  return {
    uid: `tranche-${uid}`,
    title,
    tags: ['tranche'],
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }] },
    panels: panels.map(([name, unit, expr, legendFormat], at) => ({
      id: at + 1,
      type: 'timeseries',
      title: name,
      datasource: DATASOURCE,
      gridPos: { x: (at % 3) * 8, y: Math.floor(at / 3) * 8, w: 8, h: 8 },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: [{ refId: 'A', datasource: DATASOURCE, expr, legendFormat }],
    })),
  };
}
