import kafkajs, { type logCreator } from 'kafkajs';
import type { Log } from '@tranche/runtime';

/**
 * What every rebalance, every election and the first contact with an empty broker say. Of an answer with an error (`Response …`) kafkajs itself
 * decides what to do, and that a consumer crashed or starts again is said by our consumers.
 */
const passing =
  /^Response |^Crash: |^Restarting the consumer in |not aware of (?:this member|all assigned partitions)|coordinator is (loading|not available)|not the correct coordinator|does not host this topic-partition|no leader for this topic-partition|not the leader for that topic-partition|group is rebalancing|Limiting retries for the idempotent producer/i;

/** kafkajs calls "error" what it retries by itself; what it gives up on reaches us as an exception or as a crash. */
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
