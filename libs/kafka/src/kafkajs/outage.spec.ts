import kafkajs from 'kafkajs';
import { isOutage } from './consumer-runner.js';

// The constructor needs a message, which its types do not allow.
const coordinatorGone: Error = Reflect.construct(kafkajs.KafkaJSGroupCoordinatorNotFound, [
  'Failed to find group coordinator',
]);

it.each([
  ['no coordinator', coordinatorGone],
  [
    'no coordinator, wrapped',
    Object.assign(new kafkajs.KafkaJSNonRetriableError('Failed'), { cause: coordinatorGone }),
  ],
  ['no connection', new kafkajs.KafkaJSConnectionError('connect ECONNREFUSED')],
])('%s is an outage', (_what, error) => expect(isOutage(error)).toBe(true));

it.each([
  ['an error of ours', new Error('broken')],
  ['what kafkajs can’t do', new kafkajs.KafkaJSNonRetriableError('Snappy compression not implemented')],
  ['no error', 'text'],
])('%s is none', (_what, error) => expect(isOutage(error)).toBe(false));
