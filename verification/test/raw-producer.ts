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
      ...[int(2, PRODUCE.key), int(2, PRODUCE.version), int(4, 1), int(2, -1), int(2, -1), int(2, -1)],
      int(4, TIMEOUT_MS),
      ...[int(4, 1), int(2, name.length), name, int(4, 1), int(4, partition), int(4, batch.length), batch],
    ];
    const request = Buffer.concat(body);
    // Length, number, topics, name, partitions, partition.
    const at = 4 + 4 + 4 + 2 + name.length + 4 + 4;
    const ask = async () => {
      this.socket.write(Buffer.concat([int(4, request.length), request]));
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
    ...[int(2, 0), int(4, records.length - 1), int(8, first), int(8, max), int(8, -1n), int(2, -1), int(4, -1)],
    ...[int(4, records.length), ...records.map((record, at) => recordOf(record, at, first))],
  ]);
  const behindLength = Buffer.concat([int(4, 0), Buffer.from([2]), crc32c(behindChecksum), behindChecksum]);
  return Buffer.concat([int(8, 0n), int(4, behindLength.length), behindLength]);
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

/** A whole number in so many bytes, big-endian, as Kafka has it. */
function int(bytes: 2 | 4 | 8, value: number | bigint): Buffer {
  const digits = BigInt.asUintN(8 * bytes, BigInt(value)).toString(16);
  return Buffer.from(digits.padStart(2 * bytes, '0'), 'hex');
}

/** Kafka uses CRC-32C (Castagnoli); Node's zlib only has CRC-32. */
function crc32c(bytes: Buffer): Buffer {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0x82f63b78 : 0);
  }
  return int(4, ~sum | 0);
}
