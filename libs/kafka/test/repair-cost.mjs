// What the repairs of kafkajs save, in processor time: `node libs/kafka/test/repair-cost.mjs` (built). The README of this library states the figures.
import { createRequire } from 'node:module';
import { partitionForKey } from '@tranche/runtime';
import { patchKafkajsCodec } from '../dist/kafkajs/patch-kafkajs-codec.js';

const require = createRequire(import.meta.url);
const kafkajs = require('kafkajs');
const Encoder = require('kafkajs/src/protocol/encoder.js');
const Decoder = require('kafkajs/src/protocol/decoder.js');
const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/index.js');
const decodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/decoder.js');

const ROUNDS = 3;
const RECORDS = 20_000;

/** The least of some rounds: microseconds of processor time for one. */
function cost(work) {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    for (let index = 0; index < RECORDS; index++) work(index);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / RECORDS;
  });
  return Math.min(...rounds);
}

const headers = {
  ce_specversion: '1.0',
  ce_id: '0b5d0a3e-5f0e-4a26-9d2c-0c1f3a4b5c6d',
  ce_source: '/shop',
  ce_type: 'payment.capture',
  ce_time: '2026-01-01T00:00:00.000Z',
  'content-type': 'application/json',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
};
const record = (index) => ({
  key: Buffer.from(`shop-fr/order-${index}`),
  value: Buffer.alloc(400, 'x'),
  offsetDelta: index % 500,
  timestampDelta: index % 50,
  headers,
});
const context = { firstOffset: '1000', firstTimestamp: '1767225600000', magicByte: 2 };
const encode = (index) => encodeRecord(record(index)).buffer;
const written = encode(7);
const decode = () => {
  const decoder = new Decoder(written);
  decoder.readVarInt(); // its length
  return decodeRecord(decoder, context);
};

const lines = [];
const add = (what, before, after) =>
  lines.push({
    what,
    'as it comes, µs': +before.toFixed(2),
    'ours, µs': +after.toFixed(2),
    saved: `${Math.round(100 * (1 - after / before))} %`,
  });

const choose = kafkajs.Partitioners.DefaultPartitioner();
const partitionMetadata = Array.from({ length: 12 }, (_, partitionId) => ({ partitionId, leader: 0 }));
const keys = Array.from({ length: 1000 }, (_, index) => Buffer.from(`shop-fr/order-${index}`));
add(
  'partition of a key',
  cost((index) => choose({ topic: 't', partitionMetadata, message: { key: keys[index % 1000], value: null } })),
  cost((index) => partitionForKey(keys[index % 1000], 12)),
);
const [encodeBefore, decodeBefore] = [cost(encode), cost(decode)];
patchKafkajsCodec();
add('encoding a record of 7 headers and 400 bytes', encodeBefore, cost(encode));
add('decoding it', decodeBefore, cost(decode));
if (new Encoder().buf.length === 512) throw new Error('the codec was not patched');
console.table(lines);
