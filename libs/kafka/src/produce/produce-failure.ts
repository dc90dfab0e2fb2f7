/** The broker no longer accepts this producer's sequence numbers; a new producer must send the records. */
const deadProducer = new Set([
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'DUPLICATE_SEQUENCE_NUMBER',
  'INVALID_PRODUCER_EPOCH',
  'PRODUCER_FENCED',
  'UNKNOWN_PRODUCER_ID',
  'INVALID_PRODUCER_ID_MAPPING',
]);

/**
 * Decides after kafkajs gave up a produce request. `repeat`: same batch, same producer; the broker drops duplicates. `replace`: same batch,
 * new producer. `refused`: one of its records will never be accepted. `unexplained`: a broker in trouble (such as a full disk), or a record
 * on which it always fails (UNKNOWN_SERVER_ERROR).
 */
export function afterFailedProduce(error: unknown): 'repeat' | 'replace' | 'refused' | 'unexplained' {
  const chain = [...causes(error)];
  if (chain.some(({ type }) => type !== undefined && deadProducer.has(type))) return 'replace';
  const protocol = chain.find(({ type }) => type !== undefined);
  if (protocol?.type === 'UNKNOWN') return 'unexplained';
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
