import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { readdressed } from './broker-gate.js';
import { openFront, TcpProxy } from './tcp-proxy.js';
import { waitFor } from './wait-for.js';

let echo: Server;
let received: string[];
let proxy: TcpProxy;
const clients: Socket[] = [];

beforeEach(async () => {
  received = [];
  echo = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      received.push(bytes.toString());
      socket.write(bytes);
    });
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  proxy = await TcpProxy.listen(() => `tcp://127.0.0.1:${(echo.address() as AddressInfo).port}`);
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await proxy.close();
  echo.close();
});

interface Client {
  socket: Socket;
  got: () => string;
  ended: () => string | undefined;
}

async function client(port = proxy.port): Promise<Client> {
  const socket = connect(port, '127.0.0.1');
  clients.push(socket);
  let got = '';
  let ended: string | undefined;
  socket.on('data', (bytes) => (got += bytes.toString()));
  socket.on('error', (error: NodeJS.ErrnoException) => (ended ??= error.code));
  socket.on('close', () => (ended ??= 'closed'));
  await waitFor(() => !socket.connecting || ended !== undefined, { what: 'the connection, or its end' });
  return { socket, got: () => got, ended: () => ended };
}

it('passes what comes, both ways', async () => {
  const { socket, got } = await client();
  socket.write('hello');
  await waitFor(() => got() === 'hello');
  expect(proxy.connections).toBe(1);
});

it('blackhole: holds what comes, and delivers it in order when it passes again', async () => {
  const { socket, got } = await client();
  await proxy.set('blackhole');
  socket.write('one ');
  await proxy.set('latency');
  socket.write('two');
  await waitFor(() => got() === 'one two');
});

it('half-open: the request arrives and the answer does not; a reset loses it for good', async () => {
  const { socket, got, ended } = await client();
  await proxy.set('half-open');
  socket.write('landed');
  await waitFor(() => received.includes('landed'));
  proxy.resetConnections();
  await waitFor(() => ended() === 'ECONNRESET');
  expect(got()).toBe('');
});

it('reset: breaks connections, and new ones too', async () => {
  const before = await client();
  await proxy.set('reset');
  await waitFor(() => before.ended() === 'ECONNRESET');
  const after = await client();
  await waitFor(() => after.ended() === 'ECONNRESET');
});

it('cut: ends connections and refuses new ones; later it is there again on its port', async () => {
  const before = await client();
  const { port } = proxy;
  await proxy.set('cut');
  await waitFor(() => before.ended() === 'closed');
  await waitFor(async () => (await client()).ended() === 'ECONNREFUSED');
  await proxy.set('pass');
  expect(proxy.port).toBe(port);
  const { socket, got } = await client();
  socket.write('again');
  await waitFor(() => got() === 'again');
});

it.each(['latency', 'throttle'] as const)('%s: takes its time', async (name) => {
  const { socket, got } = await client();
  await proxy.set(name);
  const began = performance.now();
  socket.write('x'.repeat(400));
  await waitFor(() => got().length === 400);
  expect(performance.now() - began).toBeGreaterThan(150);
});

it('a front closes connections until it leads somewhere, and leads to whoever takes the place', async () => {
  const front = await openFront();
  const port = Number(new URL(front.url).port);
  const isClosed = async () => (await client(port)).ended() === 'ECONNRESET';
  const leadsTo = async (target: number) => {
    front.leadTo(`http://127.0.0.1:${target}`);
    const { socket, got } = await client(port);
    socket.write(`through ${target}`);
    await waitFor(() => got() === `through ${target}`);
  };
  try {
    await waitFor(isClosed);
    await leadsTo(proxy.port);
    await proxy.set('cut');
    await leadsTo((echo.address() as AddressInfo).port);
    front.leadTo('http://127.0.0.1:1');
    await waitFor(isClosed);
  } finally {
    await front.close();
  }
});

it('puts its own port into Kafka’s answers, wherever they are torn', () => {
  const rewrite = readdressed('127.0.0.1', 9092, () => 19999);
  const body = Buffer.concat([
    Buffer.from([0, 9]),
    Buffer.from('127.0.0.1'),
    Buffer.from([0, 0, 0x23, 0x84]),
    Buffer.from('more'),
  ]);
  const answer = Buffer.concat([Buffer.from([0, 0, 0, body.length]), body]);
  const passed = Buffer.concat([rewrite(answer.subarray(0, 7)), rewrite(answer.subarray(7))]);
  expect(passed.length).toBe(answer.length);
  expect(passed.readInt32BE(4 + 2 + 9)).toBe(19999);
});
