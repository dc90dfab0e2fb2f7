import {
  KafkaJSConnectionError,
  KafkaJSNonRetriableError,
  KafkaJSNumberOfRetriesExceeded,
  KafkaJSProtocolError,
} from 'kafkajs';
import { afterFailedProduce } from './batch-delivery.js';

const broker = (type: string, retriable: boolean) =>
  Object.assign(new KafkaJSProtocolError(new Error(type)), { type, retriable });

describe('after a failed produce', () => {
  it.each([
    ['a lost connection', new KafkaJSConnectionError('closed'), 'repeat'],
    ['a time-out of the replicas', broker('REQUEST_TIMED_OUT', true), 'partition'],
    ['too few replicas', broker('NOT_ENOUGH_REPLICAS', true), 'partition'],
    ['an error that the broker does not explain', broker('UNKNOWN', false), 'unexplained'],
    ['out of order', broker('OUT_OF_ORDER_SEQUENCE_NUMBER', false), 'replace'],
    ['an unknown producer id', broker('UNKNOWN_PRODUCER_ID', false), 'replace'],
    ['a duplicate that the broker cannot place', broker('DUPLICATE_SEQUENCE_NUMBER', false), 'replace'],
    ['too large', broker('MESSAGE_TOO_LARGE', false), 'refused'],
    ['not authorized', broker('TOPIC_AUTHORIZATION_FAILED', false), 'refused'],
    ['a bug in the call', new TypeError('value is undefined'), 'refused'],
  ] as const)('%s means: %#', (_what, error, next) => {
    expect(afterFailedProduce(error)).toBe(next);
    expect(afterFailedProduce(Object.assign(new KafkaJSNonRetriableError(error), { cause: error }))).toBe(next);
  });

  it('looks into retries that ran out', () => {
    const inner = broker('OUT_OF_ORDER_SEQUENCE_NUMBER', false);
    expect(afterFailedProduce(new KafkaJSNumberOfRetriesExceeded(inner, { retryCount: 3, retryTime: 1 }))).toBe(
      'replace',
    );
    expect(
      afterFailedProduce(
        new KafkaJSNumberOfRetriesExceeded(new KafkaJSConnectionError('closed'), { retryCount: 3, retryTime: 1 }),
      ),
    ).toBe('repeat');
  });
});
