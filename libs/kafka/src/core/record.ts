/** null: a header with a name and no value, which clients in other languages can write. */
export type HeaderValue = Buffer | string | null;

export interface ConsumedRecord {
  /** Topic name without the prefix of `KAFKA_TOPIC_PREFIX`. */
  topic: string;
  partition: number;
  offset: bigint;
  key: string | null;
  rawKey: Buffer | null;
  value: Buffer | null;
  /** The first value of each header as UTF-8, in an object without prototype. A header whose value is null counts as absent. */
  headers: Record<string, string>;
  repeatedHeaders?: readonly string[];
  /** All headers as received. Present only if `headers` is not the whole truth: a value is null, repeated, or not UTF-8. */
  rawHeaders?: Readonly<Record<string, readonly (Buffer | null)[]>>;
  /** Milliseconds since the epoch, or -1: the broker's time if the topic has LogAppendTime, otherwise the sender's. */
  timestampMs: number;
  /** The reason why the record could not be read. Such a record has an offset, but neither value nor headers. */
  unreadable?: string;
}

/** The first record that could not be read, for readers without dead letters, who may not skip a record. */
export function whyNotReadable(records: readonly ConsumedRecord[]): string | undefined {
  const record = records.find(({ unreadable }) => unreadable !== undefined);
  return record && `${record.topic}/${record.partition}/${record.offset}: ${record.unreadable}`;
}

/** Approximate bytes in memory, for bounds; not the size on the wire. */
export function bytesOf(record: ConsumedRecord): number {
  return (record.value?.length ?? 0) + (record.rawKey?.length ?? 0) + 200;
}

export function allHeaders({
  headers,
  rawHeaders,
}: Pick<ConsumedRecord, 'headers' | 'rawHeaders'>): Readonly<Record<string, HeaderValue | readonly HeaderValue[]>> {
  return rawHeaders ?? headers;
}
