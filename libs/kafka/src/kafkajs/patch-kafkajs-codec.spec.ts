import fc from 'fast-check';
import type EncoderClass from 'kafkajs/src/protocol/encoder.js';

interface Kafkajs {
  decode: (decoder: object, batch: object) => { headers: object };
  Decoder: new (bytes: Buffer) => { readVarIntBytes: () => Buffer };
  Encoder: typeof EncoderClass;
  record: (record: object) => EncoderClass;
}

let NO_VALUE: Buffer;

/** Loads kafkajs with or without the patch. */
function load(isLean: boolean): Kafkajs {
  let loaded: Kafkajs | undefined;
  jest.isolateModules(() => {
    /* eslint-disable @typescript-eslint/no-require-imports -- two copies of the same modules */
    if (isLean) {
      (require('./repairs.js') as { repairKafkajs: () => void }).repairKafkajs();
      ({ NO_VALUE } = require('./record-headers.js') as { NO_VALUE: Buffer });
    }
    loaded = {
      decode: require('kafkajs/src/protocol/recordBatch/record/v0/decoder.js') as Kafkajs['decode'],
      Decoder: require('kafkajs/src/protocol/decoder.js') as Kafkajs['Decoder'],
      Encoder: require('kafkajs/src/protocol/encoder.js') as typeof EncoderClass,
      record: require('kafkajs/src/protocol/recordBatch/record/v0/index.js') as Kafkajs['record'],
    };
    /* eslint-enable @typescript-eslint/no-require-imports */
  });
  return loaded!;
}

const original = load(false);
const lean = load(true);

describe('kafkajs made lean', () => {
  it('is another one', () =>
    expect([new original.Encoder().buf.length, new lean.Encoder().buf.length]).toEqual([512, 64]));

  it('writes every record byte for byte as before', () => {
    const bytes = fc.option(fc.uint8Array({ maxLength: 3000 }).map((array) => Buffer.from(array)));
    const records = fc.record({
      key: bytes,
      value: bytes,
      offsetDelta: fc.nat(),
      timestampDelta: fc.oneof(fc.nat(), fc.integer(), fc.integer({ min: 2 ** 29, max: 2 ** 42 })),
      headers: fc.dictionary(
        fc.string({ unit: 'grapheme' }),
        fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 500, maxLength: 600 })),
      ),
    });
    fc.assert(
      fc.property(records, (record) =>
        expect(lean.record(record).buffer.equals(original.record(record).buffer)).toBe(true),
      ),
    );
  });

  it('writes a header without a value, which kafkajs itself can not', () => {
    const headers = { 'x-trace': NO_VALUE, twice: [NO_VALUE, Buffer.from('b')], empty: Buffer.alloc(0) };
    const record = { key: null, value: Buffer.from('v'), headers };
    expect(() => original.record({ ...record, headers: { 'x-trace': null } })).toThrow();
    const { decode, Decoder } = original;
    const written = decode(new Decoder(new Decoder(lean.record(record).buffer).readVarIntBytes()), {
      firstOffset: '0',
      firstTimestamp: '0',
    });
    expect(written.headers).toEqual({ 'x-trace': null, twice: [null, Buffer.from('b')], empty: Buffer.alloc(0) });
  });

  it.each([
    0,
    1,
    62,
    63,
    64,
    127,
    128,
    2 ** 29 - 1,
    2 ** 29,
    2 ** 30 - 1,
    2 ** 30,
    2 ** 31 - 1,
    -1,
    -64,
    -65,
    -(2 ** 31),
  ])('writes %i as before', (value) => {
    expect(new lean.Encoder().writeVarInt(value).buffer).toEqual(new original.Encoder().writeVarInt(value).buffer);
    expect(new lean.Encoder().writeVarLong(value).buffer).toEqual(new original.Encoder().writeVarLong(value).buffer);
    expect(lean.Encoder.sizeOfVarLong(value)).toBe(original.Encoder.sizeOfVarLong(value));
  });

  it.each(['', 'a', 'é', 'x'.repeat(39) + 'é', 'x'.repeat(40), 'x'.repeat(41), 'x'.repeat(64), null])(
    'writes the text %j as before',
    (text) => {
      expect(new lean.Encoder().writeVarIntString(text).writeVarIntBytes(text).buffer).toEqual(
        new original.Encoder().writeVarIntString(text).writeVarIntBytes(text).buffer,
      );
    },
  );
});
