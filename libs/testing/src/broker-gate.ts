import type { Socket } from 'node:net';
import { TcpProxy } from './tcp-proxy.js';

export interface BrokerGate {
  /** `host:port` to use instead of the broker's own. */
  readonly address: string;
  /** Simulates that Kafka is down: open connections break, new ones are refused. */
  shut(): Promise<void>;
  open(): Promise<void>;
  /** Simulates that Kafka is frozen: connections stay open, new ones are accepted, and nothing is answered until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Breaks the connection of the next request with this Kafka API key; the request does not arrive. Resolves when that has happened. */
  cutNext(apiKey: number): Promise<void>;
  /** Holds the next request with this Kafka API key, and what follows it. Resolves then with the function that lets it pass. */
  holdNext(apiKey: number): Promise<() => void>;
  /** Breaks the connection of every request that names this topic, except metadata; undefined ends that. */
  refuse(topic: string | undefined): void;
  close(): Promise<void>;
}

/** A proxy to the broker that looks at Kafka's requests. Answers contain the broker's address, so the gate replaces its port. */
export async function brokerGate(broker: string, { isOpen = true } = {}): Promise<BrokerGate> {
  const [host = '127.0.0.1', brokerPort = '9092'] = broker.split(':');
  let refused: string | undefined;
  let caught: { apiKey: number; take: (client: Socket, bytes: Buffer) => Buffer | Promise<Buffer> } | undefined;
  const passed = (client: Socket, requests: readonly Buffer[]): Buffer | Promise<Buffer> => {
    const isRefused = (request: Buffer) => apiKeyOf(request) !== METADATA && request.includes(refused!);
    if (refused !== undefined && requests.some(isRefused)) return broken(client);
    const arrived = Buffer.concat(requests);
    if (caught === undefined || !requests.some((request) => apiKeyOf(request) === caught?.apiKey)) return arrived;
    const { take } = caught;
    caught = undefined;
    return take(client, arrived);
  };
  const proxy: TcpProxy = await TcpProxy.listen(() => `tcp://${host}:${brokerPort}`, {
    requests: (client) => {
      const requestsOf = kafkaMessages();
      return (bytes) => passed(client, requestsOf(bytes));
    },
    answers: () => readdressed(host, Number(brokerPort), () => proxy.port),
  });
  const shut = () => proxy.set('cut');
  if (!isOpen) await shut();
  return {
    address: `127.0.0.1:${proxy.port}`,
    shut,
    open: () => proxy.set('pass'),
    freeze: () => void proxy.set('blackhole'),
    thaw: () => void proxy.set('pass'),
    cutNext: (apiKey) =>
      new Promise((done) => {
        const take = (client: Socket) => {
          done();
          return broken(client);
        };
        caught = { apiKey, take };
      }),
    holdNext: (apiKey) =>
      new Promise((held) => {
        const take = (_client: Socket, bytes: Buffer) => new Promise<Buffer>((resolve) => held(() => resolve(bytes)));
        caught = { apiKey, take };
      }),
    refuse: (topic) => void (refused = topic),
    close: shut,
  };
}

function broken(client: Socket): Buffer {
  client.destroy();
  return Buffer.alloc(0);
}

/** Returns complete answers with the broker's host and port, as Kafka writes them, replaced by ours. One per connection. */
export function readdressed(host: string, brokerPort: number, port: () => number): (bytes: Buffer) => Buffer {
  const messagesOf = kafkaMessages();
  // Before the host stands its length, in two bytes or, in newer versions of a request, in one.
  const theirs = Buffer.concat([Buffer.from(host), int32(brokerPort)]);
  return (bytes) => {
    const answers = Buffer.concat(messagesOf(bytes));
    for (let at = answers.indexOf(theirs); at >= 0; at = answers.indexOf(theirs, at + 1))
      answers.writeInt32BE(port(), at + theirs.length - 4);
    return answers;
  };
}

const METADATA = 3;
const apiKeyOf = (request: Buffer) => request.readInt16BE(4);

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/**
 * Divides the bytes of one connection to Kafka into whole messages, requests or answers. Each keeps the 4 bytes in front that say its length;
 * one of which a part is still to come is kept back until it is whole.
 */
export function kafkaMessages(): (bytes: Buffer) => Buffer[] {
  let parts: Buffer[] = [];
  let kept = 0;
  let needed = LENGTH_BYTES;
  return (bytes) => {
    parts.push(bytes);
    kept += bytes.length;
    if (kept < needed) return []; // joined only once it is whole: a request of 16 MiB comes in hundreds of parts
    const messages = [];
    let rest = Buffer.concat(parts);
    for (needed = sizeOf(rest); rest.length >= needed; needed = sizeOf(rest)) {
      messages.push(rest.subarray(0, needed));
      rest = rest.subarray(needed);
    }
    parts = [rest];
    kept = rest.length;
    return messages;
  };
}

const LENGTH_BYTES = 4;

const sizeOf = (bytes: Buffer) => (bytes.length < LENGTH_BYTES ? LENGTH_BYTES : LENGTH_BYTES + bytes.readInt32BE(0));
