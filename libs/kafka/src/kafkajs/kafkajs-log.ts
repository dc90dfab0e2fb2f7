import kafkajs, { type logCreator } from 'kafkajs';
import type { Log } from '@tranche/runtime';

/**
 * Messages of every rebalance, election, and first contact with an empty broker. kafkajs itself handles a response with an error (`Response
 * …`), and our consumers log their crashes and restarts.
 */
const passing =
  /^Response |^Crash: |^Restarting the consumer in |not aware of (?:this member|all assigned partitions)|coordinator is (loading|not available)|not the correct coordinator|does not host this topic-partition|no leader for this topic-partition|not the leader for that topic-partition|group is rebalancing|Limiting retries for the idempotent producer/i;

/** kafkajs logs errors that it retries by itself; if it gives up, we get an exception or a crash. */
export function logCreatorFor(log: Log): logCreator {
  return () =>
    ({ namespace, level, log: entry }) => {
      const { message, ...rest } = entry;
      const fields = {
        kafkajs: namespace,
        error: textOf(rest['error']),
        groupId: textOf(rest['groupId']),
        broker: textOf(rest['broker']),
      };
      if (
        level === kafkajs.logLevel.INFO ||
        level === kafkajs.logLevel.DEBUG ||
        passing.test(message) ||
        passing.test(fields.error ?? '')
      )
        log.debug(fields, message);
      else log.warn(fields, message);
    };
}

function textOf(value: unknown): string | undefined {
  if (value instanceof Error) return value.message;
  return typeof value === 'string' ? value : undefined;
}
