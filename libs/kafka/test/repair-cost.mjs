// Measures the processor time that the patches of kafkajs save: `node libs/kafka/test/repair-cost.mjs` (built). docs/decisions/0041 has the
// figures.
import { createRequire } from 'node:module';
import { repairKafkajs } from '../dist/kafkajs/repairs.js';

const require = createRequire(import.meta.url);
const Encoder = require('kafkajs/src/protocol/encoder.js');
const Decoder = require('kafkajs/src/protocol/decoder.js');
const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/index.js');
const decodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/decoder.js');

const ROUNDS = 5;
const RECORDS = 20_000;

/** Minimum over several rounds: microseconds of processor time per round. */
function cost(work) {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    for (let index = 0; index < RECORDS; index++) work(index);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / RECORDS;
  });
  return Math.min(...rounds);
}

const cloudEvent = {
  ce_specversion: '1.0',
  ce_id: '0b5d0a3e-5f0e-4a26-9d2c-0c1f3a4b5c6d',
  ce_source: '/shop',
  ce_type: 'payment.capture',
  ce_time: '2026-01-01T00:00:00.000Z',
  'content-type': 'application/json',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
};
const journaled = { 'content-type': 'application/json', traceparent: cloudEvent.traceparent };
const record = (index, headers, bytes) => ({
  key: Buffer.from(`shop-fr/order-${index}`),
  value: Buffer.alloc(bytes, 'x'),
  offsetDelta: index % 500,
  timestampDelta: index % 50,
  headers,
});
const context = { firstOffset: '1000', firstTimestamp: '1767225600000', magicByte: 2 };
const encode = (index, headers = cloudEvent, bytes = 400) => encodeRecord(record(index, headers, bytes)).buffer;
const [event, entry] = [encode(7), encode(7, journaled, 500)];
const decode = (written = event) => {
  const decoder = new Decoder(written);
  decoder.readVarInt(); // its length
  return decodeRecord(decoder, context);
};

/** The gateway's work for one command: it encodes INTENT, OUTCOME and event, and decodes the command once and INTENT and OUTCOME twice. */
const encodeCommand = (index) => {
  encode(index, journaled, 500);
  encode(index, journaled, 500);
  encode(index);
};
const decodeCommand = () => {
  decode();
  for (let times = 0; times < 4; times++) decode(entry);
};

const lines = [];
const add = (what, before, after) =>
  lines.push({
    what,
    'as it comes, µs': +before.toFixed(2),
    'ours, µs': +after.toFixed(2),
    saved: `${Math.round(100 * (1 - after / before))} %`,
  });

const works = {
  'encoding a record of 7 headers and 400 bytes': (index) => encode(index),
  'all encoding for one command': encodeCommand,
};
const before = Object.values(works).map(cost);
repairKafkajs();
Object.entries(works).forEach(([what, work], at) => add(what, before[at], cost(work)));
// Decoding is not patched: all of it is less than a twentieth of the gateway's work for a command.
lines.push({ what: 'all decoding for one command', 'as it comes, µs': +cost(decodeCommand).toFixed(2) });
if (new Encoder().buf.length === 512) throw new Error('the codec was not patched');
console.table(lines);
