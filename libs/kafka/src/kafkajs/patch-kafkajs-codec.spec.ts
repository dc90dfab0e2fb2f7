import type Encoder from 'kafkajs/src/protocol/encoder.js';

interface Kafkajs {
  decode: (decoder: object, batch: object) => { headers: object };
  Decoder: new (bytes: Buffer) => { readVarIntBytes: () => Buffer };
  record: (record: object) => Encoder;
}

let NO_VALUE: Buffer;

/** Loads kafkajs with or without the patch. */
function load(isPatched: boolean): Kafkajs {
  let loaded: Kafkajs | undefined;
  jest.isolateModules(() => {
    /* eslint-disable @typescript-eslint/no-require-imports -- two copies of the same modules */
    if (isPatched) {
      (require('./patch-kafkajs-codec.js') as { patchKafkajsCodec: () => void }).patchKafkajsCodec();
      ({ NO_VALUE } = require('./record-headers.js') as { NO_VALUE: Buffer });
    }
    loaded = {
      decode: require('kafkajs/src/protocol/recordBatch/record/v0/decoder.js') as Kafkajs['decode'],
      Decoder: require('kafkajs/src/protocol/decoder.js') as Kafkajs['Decoder'],
      record: require('kafkajs/src/protocol/recordBatch/record/v0/index.js') as Kafkajs['record'],
    };
    /* eslint-enable @typescript-eslint/no-require-imports */
  });
  return loaded!;
}

const original = load(false);
const patched = load(true);

it('writes a header without a value, which kafkajs itself can not', () => {
  const headers = { 'x-trace': NO_VALUE, twice: [NO_VALUE, Buffer.from('b')], empty: Buffer.alloc(0) };
  const record = { key: null, value: Buffer.from('v'), headers };
  expect(() => original.record({ ...record, headers: { 'x-trace': null } })).toThrow();
  const { decode, Decoder } = original;
  const written = decode(new Decoder(new Decoder(patched.record(record).buffer).readVarIntBytes()), {
    firstOffset: '0',
    firstTimestamp: '0',
  });
  expect(written.headers).toEqual({ 'x-trace': null, twice: [null, Buffer.from('b')], empty: Buffer.alloc(0) });
});
