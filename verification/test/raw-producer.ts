import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { kafkaMessages, waitFor } from '@tranche/testing';

/** A record as bytes, so that a test can write what no client would. */
export interface RawRecord {
  key: Buffer | null;
  value: Buffer | null;
  headers: readonly (readonly [name: Buffer, value: Buffer | null])[];
  timestampMs: bigint;
}

const PRODUCE = { key: 0, version: 3 };
const NOT_LEADER = 6;
const TIMEOUT_MS = 30_000;

/** Writes batches to the test's only broker over its own connection, one request at a time. */
export class RawProducer {
  readonly #answers: Buffer[] = [];

  private constructor(private readonly socket: Socket) {
    const messagesOf = kafkaMessages();
    socket.on('data', (bytes) => this.#answers.push(...messagesOf(bytes)));
  }

  static async connect(broker: string): Promise<RawProducer> {
    const [host = '', port] = broker.split(':');
    const socket = connect({ host, port: Number(port) });
    await once(socket, 'connect');
    return new RawProducer(socket);
  }

  async send(topic: string, partition: number, records: readonly RawRecord[]): Promise<bigint> {
    const name = Buffer.from(topic);
    const batch = batchOf(records);
    const body = [
      ...[int16(PRODUCE.key), int16(PRODUCE.version), int32(1), int16(-1), int16(-1), int16(-1), int32(TIMEOUT_MS)],
      ...[int32(1), int16(name.length), name, int32(1), int32(partition), int32(batch.length), batch],
    ];
    const request = Buffer.concat(body);
    // Length, number, topics, name, partitions, partition.
    const at = 4 + 4 + 4 + 2 + name.length + 4 + 4;
    const ask = async () => {
      this.socket.write(Buffer.concat([int32(request.length), request]));
      return this.#answer();
    };
    // A new topic has no leader for a moment.
    let answer = await ask();
    await waitFor(async () => answer.readInt16BE(at) !== NOT_LEADER || ((answer = await ask()), false), {
      what: `a leader of ${topic}/${partition}`,
    });
    const error = answer.readInt16BE(at);
    if (error !== 0) throw new Error(`the broker refused a batch for ${topic}/${partition}: error ${error}`);
    return answer.readBigInt64BE(at + 2);
  }

  close(): void {
    this.socket.destroy();
  }

  async #answer(): Promise<Buffer> {
    for (;;) {
      const answer = this.#answers.shift();
      if (answer) return answer;
      await once(this.socket, 'data', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    }
  }
}

/** Kafka's RecordBatch, version 2. */
function batchOf(records: readonly RawRecord[]): Buffer {
  const first = records[0]!.timestampMs;
  const max = records.reduce((most, { timestampMs }) => (timestampMs > most ? timestampMs : most), first);
  const behindChecksum = Buffer.concat([
    ...[int16(0), int32(records.length - 1), int64(first), int64(max), int64(-1n), int16(-1), int32(-1)],
    ...[int32(records.length), ...records.map((record, at) => recordOf(record, at, first))],
  ]);
  const behindLength = Buffer.concat([int32(0), Buffer.from([2]), crc32c(behindChecksum), behindChecksum]);
  return Buffer.concat([int64(0n), int32(behindLength.length), behindLength]);
}

function recordOf({ key, value, headers, timestampMs }: RawRecord, at: number, first: bigint): Buffer {
  const body = Buffer.concat([
    ...[Buffer.from([0]), varint(timestampMs - first), varint(BigInt(at)), sized(key), sized(value)],
    ...[varint(BigInt(headers.length)), ...headers.flatMap(([name, content]) => [sized(name), sized(content)])],
  ]);
  return Buffer.concat([varint(BigInt(body.length)), body]);
}

const sized = (bytes: Buffer | null) =>
  bytes === null ? varint(-1n) : Buffer.concat([varint(BigInt(bytes.length)), bytes]);

function varint(value: bigint): Buffer {
  let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
  const bytes: number[] = [];
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt.asIntN(64, value));
  return bytes;
}

/** Kafka uses CRC-32C (Castagnoli); Node's zlib only has CRC-32. */
function crc32c(bytes: Buffer): Buffer {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0x82f63b78 : 0);
  }
  return int32(~sum | 0);
}
