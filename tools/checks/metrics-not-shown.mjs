/** Gives a reason for each metric that no panel and no alert uses. */
const OF_THE_SHOP = 'checkout-demo is a demo; it is not deployed';
const OF_A_CLIENT = 'of the program that uses @tranche/client: for its own dashboards';
const WHEN_TUNED = 'for tuning, with `npm run bench`: no figure of it asks somebody to act';

export const NOT_SHOWN = {
  checkout_events_total: OF_THE_SHOP,
  checkout_requests_turned_away_total: OF_THE_SHOP,
  checkout_streams: OF_THE_SHOP,
  cse_request_duration_seconds:
    'as `http_server_request_duration_seconds`, which has the routes; for comparisons of two releases',
  kafka_drain_seconds: WHEN_TUNED,
  kafka_events_announced_total: 'what was not announced has a panel: `kafka_events_dropped_total`',
  kafka_fetched_batch_records: WHEN_TUNED,
  kafka_frontier_span_offsets: WHEN_TUNED,
  kafka_produced_batch_records: WHEN_TUNED,
  kafka_queue_wait_seconds: WHEN_TUNED,
  kafka_records_handled_total: 'of commands and notifications there are counters by outcome',
  kafka_log_records_total: WHEN_TUNED,
  tranche_client_commands_total: OF_A_CLIENT,
  tranche_client_events_total: OF_A_CLIENT,
  tranche_client_handler_failures_total: OF_A_CLIENT,
  tranche_client_waits: OF_A_CLIENT,
  tranche_log_lines_dropped_total: 'a line of the log says it as soon as somebody reads the log again',
};
