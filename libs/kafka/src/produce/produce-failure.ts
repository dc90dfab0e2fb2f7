/** The broker no longer accepts this producer's sequence numbers; another producer must repeat the records. */
const deadProducer = new Set([
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'DUPLICATE_SEQUENCE_NUMBER',
  'INVALID_PRODUCER_EPOCH',
  'PRODUCER_FENCED',
  'UNKNOWN_PRODUCER_ID',
  'INVALID_PRODUCER_ID_MAPPING',
]);

/** How often a batch is sent again, for about a minute, that a broker fails to take without saying why. */
export const MAX_UNEXPLAINED = 30;

/**
 * What to do after the produce of this attempt, which kafkajs gave up on.
 * `repeat`: the same batch on the same producer, the broker drops what it has already.
 * `replace`: the same batch on a new producer. `refused`: a record of it will never be accepted.
 */
export function afterFailedProduce(error: unknown, attempt: number): 'repeat' | 'replace' | 'refused' {
  const chain = [...causes(error)];
  if (chain.some(({ type }) => type !== undefined && deadProducer.has(type))) return 'replace';
  const protocol = chain.find(({ type }) => type !== undefined);
  // UNKNOWN_SERVER_ERROR: a broker in trouble (a disk that just filled), or a record on which it always fails.
  if (protocol?.type === 'UNKNOWN') return attempt < MAX_UNEXPLAINED ? 'repeat' : 'refused';
  if (protocol) return protocol.retriable === false ? 'refused' : 'repeat';
  return chain.some(({ name }) => name === 'TypeError' || name === 'RangeError') ? 'refused' : 'repeat';
}

interface KafkaJsError {
  name?: string;
  type?: string;
  retriable?: boolean;
  cause?: unknown;
}

function* causes(error: unknown): Generator<KafkaJsError> {
  for (
    let depth = 0, at = error as KafkaJsError | undefined;
    depth < 5 && typeof at === 'object' && at !== null;
    depth++
  ) {
    yield at;
    at = at.cause as KafkaJsError | undefined;
  }
}
