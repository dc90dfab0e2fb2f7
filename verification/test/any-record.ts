import fc from 'fast-check';
import { SIGNATURE_HEADER } from '@tranche/contracts';
import type { RawRecord } from './raw-records.js';

/** A valid record, before anything odd is added. */
export interface Sound {
  key: string;
  value: Buffer;
  headers: Readonly<Record<string, string>>;
}

export interface AnyRecord extends RawRecord {
  /** True if the additions do not change its meaning. */
  isSound: boolean;
}

const OF_ENVELOPE = [
  ...['ce_id', 'ce_type', 'ce_source', 'ce_time', 'ce_specversion', 'ce_subject', 'ce_correlationid', 'content-type'],
  SIGNATURE_HEADER,
];
/** Names with a meaning for JavaScript, tracers or dead letters, and some without. */
const OTHERS = [
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '', '\0', '0', 'dead-letter-topic'],
  ...['traceparent', 'tracestate', 'baggage', 'x-trace'],
];

const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
const text = fc.string({ unit: 'grapheme', maxLength: 20 }).map((some) => Buffer.from(some));
const anyBytes = fc.oneof(bytes, text, fc.constant(Buffer.alloc(0)));
const headerValue = fc.oneof(fc.constant(null), anyBytes);
const otherName = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...OTHERS).map((name) => Buffer.from(name)) },
  anyBytes.filter((name) => !/^ce_|^content-type$/.test(name.toString())),
);
const anyName = fc.oneof(
  otherName,
  fc.constantFrom(...OF_ENVELOPE).map((name) => Buffer.from(name)),
);
const header = (name: fc.Arbitrary<Buffer>) => fc.tuple(name, headerValue);
/** A null envelope header beside the one with a value must count as absent. */
const nullHeader = fc.tuple(
  fc.constantFrom(...OF_ENVELOPE).map((name) => Buffer.from(name)),
  fc.constant(null),
);
const tooMany = fc.tuple(otherName, fc.constant(null)).map((one) => Array.from({ length: 200 }, () => one));

const NOW_MS = BigInt(Date.now());
const timestampMs = fc.oneof(
  { weight: 4, arbitrary: fc.constant(NOW_MS) },
  fc.constantFrom(-1n, 0n, 1n, -2n, -8_640_000_000_000_001n, NOW_MS - 3_600_000n, NOW_MS + 60_000n),
);

/**
 * Makes records for one reader: valid ones with additional headers, and arbitrary ones. `sound` makes a valid record with an id of its own.
 */
export function anyRecords(count: number, seed: number, sound: (index: number) => Sound): AnyRecord[] {
  const drawn = fc.sample(
    fc.record({
      kind: fc.oneof(
        { weight: 2, arbitrary: fc.constant('sound' as const) },
        { weight: 18, arbitrary: fc.constant('odd' as const) },
      ),
      key: fc.oneof(fc.constant('own' as const), fc.constant(null), anyBytes),
      value: fc.oneof(fc.constant('own' as const), fc.constant('cut' as const), fc.constant(null), anyBytes, json),
      keepsHeaders: fc.boolean(),
      harmless: fc.array(fc.oneof(header(otherName), nullHeader), { maxLength: 6 }),
      headers: fc.oneof(
        { weight: 20, arbitrary: fc.array(header(anyName), { maxLength: 8 }) },
        { weight: 1, arbitrary: tooMany },
      ),
      timestampMs,
    }),
    { numRuns: count, seed },
  );
  return drawn.map((record, index) => {
    const own = sound(index);
    const ownHeaders = Object.entries(own.headers).map(
      ([name, value]) => [Buffer.from(name), Buffer.from(value)] as const,
    );
    const { key, value, headers, harmless, keepsHeaders, timestampMs } = record;
    const ownKey = Buffer.from(own.key);
    if (record.kind === 'sound')
      return { isSound: true, key: ownKey, value: own.value, headers: [...harmless, ...ownHeaders], timestampMs };
    return {
      isSound: false,
      key: key === 'own' ? ownKey : key,
      value: valueOf(value, own.value),
      headers: [...headers, ...(keepsHeaders ? ownHeaders : [])],
      timestampMs,
    };
  });
}

const json = fc.json({ maxDepth: 3 }).map((some) => Buffer.from(some));

function valueOf(value: 'own' | 'cut' | Buffer | null, own: Buffer): Buffer | null {
  if (value === 'own') return own;
  return value === 'cut' ? own.subarray(0, own.length / 2) : value;
}
