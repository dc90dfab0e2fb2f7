/**
 * The dashboards. `stats` are figures in the first row, `[title, unit, PromQL, red from]`: without a number nothing is red. Each panel is
 * `[title, unit, PromQL, legend]`. grafana.mjs adds the filters of the variables to the queries, and makes the JSON.
 */

const p99 = (metric, by) =>
  `histogram_quantile(0.99, sum by (le${by ? `, ${by}` : ''}) (rate(${metric}_bucket[$__rate_interval])))`;
const rate = (metric, by) => `sum by (${by}) (rate(${metric}[$__rate_interval]))`;

export const DASHBOARDS = {
  'on-call': {
    title: 'Tranche: on call',
    stats: [
      ['In doubt now', 'short', 'sum(tranche_doubts)', 20],
      ['Longest in doubt', 's', 'max(tranche_doubt_oldest_age_seconds)', 3600],
      ['All conflicts, 6 h', 'short', 'sum(increase(tranche_conflicts_total[6h]))', 1],
      ['Rails that stopped', 'short', 'sum(max by (rail) (tranche_rail_breaker_open))', 1],
      ['Partitions that stopped', 'short', 'sum(max by (partition) (tranche_journal_partition_stopped))', 1],
      ['Instances up', 'short', 'sum(tranche_build_info)'],
    ],
    panels: [
      ['Operations in doubt', 'short', 'sum by (merchant, reason) (tranche_doubts)', '{{merchant}} {{reason}}'],
      [
        'Conflicts, 6 h',
        'short',
        'sum by (merchant, reason) (increase(tranche_conflicts_total[6h]))',
        '{{merchant}} {{reason}}',
      ],
      ['Oldest doubt', 's', 'max by (merchant) (tranche_doubt_oldest_age_seconds)', '{{merchant}}'],
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
      ['Instances', 'short', 'sum by (job, version) (tranche_build_info)', '{{job}} {{version}}'],
    ],
  },
  gateway: {
    title: 'Tranche: gateway',
    stats: [
      ['Commands a second', 'ops', 'sum(rate(tranche_commands_total[$__rate_interval]))'],
      ['Answered within, p99', 's', p99('tranche_command_to_event_seconds')],
      ['Commands in flight', 'short', 'sum(kafka_records_in_flight)'],
      ['Rails that stopped', 'short', 'sum(max by (rail) (tranche_rail_breaker_open))', 1],
    ],
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
    stats: [
      ['Notifications a second', 'ops', 'sum(rate(ingest_notifications_total[$__rate_interval]))'],
      ['HASH wrong, 1 h', 'short', 'sum(increase(ingest_notifications_total{result="hash_mismatch"}[1h]))', 1],
      ['Notifications that wait', 'short', 'sum(ingest_waiting_notifications)'],
      ['Not in quarantine, 1 h', 'short', 'sum(increase(ingest_quarantine_dropped_total[1h]))', 1],
    ],
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
    stats: [
      ['Tokens a second', 'ops', 'sum(rate(auth_tokens_served_total[$__rate_interval]))'],
      ['Answer of the token API, p99', 's', p99('auth_token_api_seconds')],
      ['Keys a second', 'ops', 'sum(rate(cse_keys_served_total[$__rate_interval]))'],
      ['Stale keys, 1 h', 'short', 'sum(increase(cse_keys_served_total{source="stale"}[1h]))', 1],
      ['Events dropped, 1 h', 'short', 'sum(increase(kafka_events_dropped_total[1h]))', 1],
    ],
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
    stats: [
      ['Index behind, longest', 's', 'max(tranche_index_behind_seconds)', 180],
      ['Partitions that stopped', 'short', 'sum(max by (partition) (tranche_journal_partition_stopped))', 1],
      ['Records to rebuild', 'short', 'sum(tranche_index_rebuild_remaining_records)'],
      ['Evicted keys', 'short', 'max(tranche_redis_evicted_keys)', 1],
    ],
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
