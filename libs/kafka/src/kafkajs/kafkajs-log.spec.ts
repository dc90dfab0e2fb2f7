import kafkajs from 'kafkajs';
import { logCreatorFor } from './kafkajs-log.js';

const { ERROR, WARN, INFO } = kafkajs.logLevel;

it.each([
  ['an answer that kafkajs reacts to', ERROR, 'Response OffsetCommit(key: 8, version: 5)', 'debug'],
  ['an answer to a request that was given up', WARN, 'Response without match', 'debug'],
  ['a rebalance', WARN, 'The group is rebalancing, re-joining', 'debug'],
  ['an eviction after a pause', ERROR, 'The coordinator is not aware of this member, re-joining the group', 'debug'],
  ['a crash, which the consumer itself says', ERROR, 'Crash: KafkaJSNumberOfRetriesExceeded: closed', 'debug'],
  ['a restart, which the consumer itself says', ERROR, 'Restarting the consumer in 300ms', 'debug'],
  ['news', INFO, 'Consumer has joined the group', 'debug'],
  ['a broker that cannot be reached', ERROR, 'Failed to connect to broker, reconnecting', 'warn'],
  ['offsets that are not there', ERROR, 'Offset out of range, resetting to default offset', 'warn'],
])('says %s at its level', (_what, level, message, expected) => {
  const said: [string, string][] = [];
  const at = (name: string) => (_fields: object, text: string) => void said.push([name, text]);
  const write = logCreatorFor({ debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') })(level);
  write({ namespace: 'Connection', level, label: '', log: { timestamp: '', message } });
  expect(said).toEqual([[expected, message]]);
});
