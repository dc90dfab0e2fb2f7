/** Removes the oldest entries until at most `most` are left. */
export function keepNewest<K>(entries: Map<K, unknown> | Set<K>, most: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(oldest);
  }
}

/** One object for each combination of the values: `{ a: ['1'], b: ['2', '3'] }` gives two. */
export function combinations<K extends string>(values: Record<K, readonly string[]>): Record<K, string>[] {
  return Object.entries<readonly string[]>(values).reduce(
    (all, [name, given]) => all.flatMap((one) => given.map((value) => ({ ...one, [name]: value }))),
    [{} as Record<K, string>],
  );
}

interface Count {
  /** Number taken in the current window. */
  taken: number;
  windowUntilMs: number;
  /** Until this time the key gets nothing, because a shared counter has refused it. */
  blockedUntilMs: number;
}

/** Limits what each key may take in windows of a fixed length. It remembers the newest `maxKeys` keys; a forgotten key may take again. */
export class WindowCounter {
  readonly #counts = new Map<string, Count>();

  constructor(
    private readonly max: number,
    private readonly windowMs: number,
    private readonly maxKeys: number,
  ) {}

  /** Takes one. Returns undefined where that was allowed, else the time until the key may take again. Milliseconds. */
  take(key: string, nowMs: number): number | undefined {
    const count = this.#countOf(key, nowMs);
    if (nowMs < count.blockedUntilMs) return count.blockedUntilMs - nowMs;
    if (count.taken >= this.max) return count.windowUntilMs - nowMs;
    count.taken++;
    return undefined;
  }

  /** Blocks a key that has taken here; an unknown key is ignored. */
  block(key: string, untilMs: number): void {
    const count = this.#counts.get(key);
    if (count !== undefined) count.blockedUntilMs = untilMs;
  }

  isBlocked(key: string, nowMs: number): boolean {
    const count = this.#counts.get(key);
    return count !== undefined && nowMs < count.blockedUntilMs;
  }

  #countOf(key: string, nowMs: number): Count {
    const known = this.#counts.get(key);
    if (known !== undefined && nowMs < known.windowUntilMs) return known;
    const count = { taken: 0, windowUntilMs: nowMs + this.windowMs, blockedUntilMs: known?.blockedUntilMs ?? 0 };
    this.#counts.delete(key);
    this.#counts.set(key, count);
    keepNewest(this.#counts, this.maxKeys);
    return count;
  }
}

/** The value with these properties: `{ ...value, ...more }`, for which Node.js 20 takes 1.6 µs a new property (docs/decisions/0041). */
export const copyWith = <T extends object>(value: T, more: Partial<T>): T => Object.assign({}, value, more);

/** Without the properties that are undefined, so that a value equals itself after a trip through JSON. The value itself where it has none. */
export function compact<T extends object>(value: T): T {
  for (const name in value) if (value[name] === undefined) return withoutUndefined(value);
  return value;
}

function withoutUndefined<T extends object>(value: T): T {
  const kept = {} as T;
  for (const name in value) if (value[name] !== undefined) kept[name] = value[name];
  return kept;
}

const seed = 0x9747b28c;
const m = 0x5bd1e995;

/** Partition of a key, 0 to `partitions` - 1, as Java clients, kafkajs and our producer compute it: murmur2 of the UTF-8 bytes. */
export function partitionForKey(key: string | Buffer, partitions: number): number {
  return (murmur2(typeof key === 'string' ? Buffer.from(key) : key) & 0x7fffffff) % partitions;
}

/** As `Utils.murmur2` of Kafka's Java client. kafkajs' function uses big integers and takes twenty times as long. */
export function murmur2(bytes: Uint8Array): number {
  const { length } = bytes;
  let h = seed ^ length;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    let k = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    k = Math.imul(k, m);
    k = Math.imul(k ^ (k >>> 24), m);
    h = Math.imul(h, m) ^ k;
  }
  const rest = length - at;
  if (rest > 2) h ^= bytes[at + 2]! << 16;
  if (rest > 1) h ^= bytes[at + 1]! << 8;
  if (rest > 0) h = Math.imul(h ^ bytes[at]!, m);
  h = Math.imul(h ^ (h >>> 13), m);
  return h ^ (h >>> 15);
}

/** `traceparent` and `tracestate` (W3C Trace Context) for the headers of a request or record. */
export type TraceHeaders = Readonly<Record<string, string>>;

/** Unvalidated headers of any sender. */
export interface ReceivedTrace {
  traceparent?: string;
  tracestate?: string;
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
/** W3C Trace Context, 3.3.1.5: a service must propagate at least this many characters. */
const MAX_TRACESTATE = 512;

/** Trace headers of a sender that we trust; undefined if there is no trace. */
export function traceHeadersOf({ traceparent, tracestate }: ReceivedTrace): TraceHeaders | undefined {
  if (traceparent === undefined) return undefined;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

/** Untrusted headers: an invalid `traceparent` and a `tracestate` above 512 characters are dropped, so that records do not grow. */
export function validTraceHeaders({ traceparent, tracestate }: ReceivedTrace): ReceivedTrace {
  if (traceparent === undefined || !TRACEPARENT.test(traceparent)) return {};
  return tracestate === undefined || tracestate.length > MAX_TRACESTATE ? { traceparent } : { traceparent, tracestate };
}

/** `host:port` of a broker. kafkajs cannot connect to an IPv6 address, only to a name that stands for one. */
export const BROKER_ADDRESS = /^[\w.-]+:\d{1,5}$/;
export const BROKER_ADDRESS_RULE = 'without kafka:// or the like, and with a name in place of an IPv6 address';
