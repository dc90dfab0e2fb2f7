import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import kafkajs from 'kafkajs';
import { listening } from '../../test/log-lines.js';
import { createKafkaClient, waitForKafka, type KafkaSettings } from './kafka-client.js';
import { refusalOf } from './kafkajs-log.js';

const sasl = { mechanism: 'plain', username: 'gateway', password: 'wrong' } as const;

/** Serves on a free port, and returns the first warning of `waitForKafka`. */
async function complaint(server: Server, settings: Partial<KafkaSettings> = {}): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  const { port } = server.address() as { port: number };
  const heard = listening('Kafka');
  const client = createKafkaClient({ brokers: [`127.0.0.1:${port}`], clientId: 'spec', ...settings }, heard.log);
  const waiting = waitForKafka(client, { log: heard.log, signal: heard.signal });
  await expect(waiting).rejects.toThrow('heard');
  server.close();
  sockets.forEach((socket) => socket.destroy());
  return heard.line();
}

const after = (first: (socket: Socket) => void) =>
  createServer((socket) => socket.on('error', () => undefined).once('data', () => first(socket)));

describe('a broker that is there and does not let us in', () => {
  it.each([
    ['closes the connection', after((socket) => socket.destroy()), {}, /it closes the connection; it may want TLS/],
    ['takes no TLS', after((socket) => socket.end('no TLS')), { ssl: true }, /TLS fails; it may take no TLS there/],
    ['shows no certificate', createTlsServer({}), { ssl: true }, /TLS fails/],
    ['wants TLS', createTlsServer({}), {}, /it may want TLS \(KAFKA_SSL\)/],
    ['refuses the password', refusingSasl(), { sasl }, /it refuses the user or the password of SASL/],
  ])('which %s, is said to', async (_, server, settings, says) => {
    expect(await complaint(server, settings)).toMatch(says);
  });

  it.each([
    [{ message: 'self-signed certificate', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, /certificate is not trusted/],
    [{ message: "Host does not match certificate's altnames" }, /certificate is not trusted/],
    [{ message: 'unable to verify the first certificate' }, /certificate is not trusted/],
    [{ message: 'The broker does not support it', type: 'UNSUPPORTED_SASL_MECHANISM' }, /another mechanism/],
  ])('%j', (cause, says) => {
    const wrapped = new kafkajs.KafkaJSNumberOfRetriesExceeded(Object.assign(new Error(cause.message), cause), {
      retryCount: 5,
      retryTime: 100,
    });
    expect(refusalOf(wrapped)).toMatch(says);
  });

  it('is not one that is away', () => {
    expect(refusalOf(new Error('connect ECONNREFUSED 127.0.0.1:9092'))).toBeUndefined();
    expect(refusalOf(new Error('Connection timeout'))).toBeUndefined();
  });
});

const API_VERSIONS = 18;
const SASL_HANDSHAKE = 17;
/** Kafka's code of SASL_AUTHENTICATION_FAILED. */
const FAILED = 58;

/** The part of a broker that refuses a password. */
function refusingSasl(): Server {
  return createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (request) => {
      const answer = Buffer.concat([request.subarray(8, 12), bodyFor(request.readInt16BE(4))]);
      const size = Buffer.alloc(4);
      size.writeInt32BE(answer.length);
      socket.write(Buffer.concat([size, answer]));
    });
  });
}

function bodyFor(api: number): Buffer {
  if (api === API_VERSIONS)
    return Buffer.from([0, 0, 0, 0, 0, 3, ...[3, 17, 36].flatMap((key) => [0, key, 0, 0, 0, 1])]);
  if (api === SASL_HANDSHAKE) return Buffer.from([0, 0, 0, 0, 0, 1, 0, 5, ...Buffer.from('PLAIN')]);
  const text = Buffer.from('Authentication failed');
  return Buffer.from([0, FAILED, 0, text.length, ...text, 0, 0, 0, 0, ...Buffer.alloc(8)]);
}
