import { createServer, connect, type Server, type Socket } from 'node:net';
import { freePorts } from './infrastructure.js';

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
  close(): Promise<void>;
}

/** A proxy to the broker, which all tests share and none may stop. Answers contain the broker's address, so the gate replaces its port. */
export async function brokerGate(broker: string, { isOpen = true } = {}): Promise<BrokerGate> {
  const [host = '127.0.0.1', brokerPort = '9092'] = broker.split(':');
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  // A port that remains reserved for us while the gate is shut; one chosen by the system would not.
  const [port] = await freePorts();
  let isFrozen = false;
  let caught: { apiKey: number; take: (client: Socket, upstream: Socket, bytes: Buffer) => void } | undefined;

  const open = async () => {
    if (server) return;
    const opening = createServer((client) => join(client, connect(Number(brokerPort), host)));
    server = opening;
    await new Promise<void>((resolve, reject) => opening.once('error', reject).listen(port, '127.0.0.1', resolve));
  };
  const shut = async () => {
    const closing = server;
    server = undefined;
    for (const socket of sockets) socket.destroy();
    if (closing) await new Promise((resolve) => closing.close(resolve));
  };
  const join = (client: Socket, upstream: Socket) => {
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      if (isFrozen) from.pause();
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    const requestsOf = kafkaMessages();
    client.on('data', (bytes) => {
      const requests = requestsOf(bytes);
      if (requests.length === 0) return;
      const arrived = Buffer.concat(requests);
      if (caught === undefined || !requests.some((request) => apiKeyOf(request) === caught?.apiKey))
        return void upstream.write(arrived);
      const { take } = caught;
      caught = undefined;
      take(client, upstream, arrived);
    });
    client.on('end', () => upstream.end());
    const readdress = readdressed(host, Number(brokerPort), () => port);
    upstream.on('data', (bytes) => {
      const answers = readdress(bytes);
      if (answers.length > 0) client.write(answers);
    });
  };

  const freeze = () => {
    isFrozen = true;
    for (const socket of sockets) socket.pause();
  };
  const thaw = () => {
    isFrozen = false;
    for (const socket of sockets) socket.resume();
  };

  if (isOpen) await open();
  const cutNext = (apiKey: number) =>
    new Promise<void>((done) => {
      caught = { apiKey, take: (client) => done(void client.destroy()) };
    });
  const holdNext = (apiKey: number) =>
    new Promise<() => void>((held) => {
      const take = (client: Socket, upstream: Socket, bytes: Buffer) => {
        client.pause();
        held(() => {
          upstream.write(bytes);
          client.resume();
        });
      };
      caught = { apiKey, take };
    });
  return { address: `127.0.0.1:${port}`, shut, open, freeze, thaw, cutNext, holdNext, close: shut };
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
