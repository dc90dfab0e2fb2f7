import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { waitFor } from '@tranche/testing';
import { planted } from '../../mutants/planted.js';
import { CRASH_POINTS, INGEST_POINTS, PLANTED, SECOND_OWNER, WRITTEN } from './failpoints.js';
import { failpoints, watchWrites } from './strike.js';

const root = join(__dirname, '../../..');
const texts = [...PLANTED, SECOND_OWNER];
const compiled = texts.filter(({ project, file }) => existsSync(join(root, project, 'dist', file)));

it('has a point for each of the fourteen crash points and for those of notification-ingest, each once', () => {
  const names = [...PLANTED, ...WRITTEN].map(({ name }) => name);
  expect(CRASH_POINTS).toHaveLength(14);
  expect(names.sort()).toEqual([...CRASH_POINTS, ...INGEST_POINTS].sort());
});

// These are the files of the last build: `npm test` and `npm run verify` build first.
it.each(compiled.map((point) => [point.name, point] as const))(
  'the text of %s is found once, and the build holds no failpoint',
  (_name, point) => {
    const source = readFileSync(join(root, point.project, 'dist', point.file), 'utf8');
    expect(source).not.toContain('failpoint');
    expect(planted(source, point)).toContain(point.replace);
  },
);

it('strikes at the hit that was asked for, of the orders that were asked for, once', () => {
  const said: string[] = [];
  const pass = failpoints(
    [{ point: 'granted', order: 'run-1', hit: 2, do: 'kill' }],
    (line) => said.push(line),
    (name) => said.push(name),
  );
  pass('granted', 'run-1-a');
  pass('granted', 'run-2-a');
  pass('answer-read', 'run-1-a');
  expect(said).toEqual([]);
  pass('granted', 'run-1-b');
  pass('granted', 'run-1-c');
  expect(said).toEqual(['failpoint granted kill\n', 'SIGKILL']);
});

it.each([
  ['during-commit', '\0\0\0\x50\0\x08\0\x05shop.payment-gateway\0\0\0\x05'],
  ['before-the-ok', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nOK'],
  ['request-written', 'POST /front/service/rest/process HTTP/1.1\r\n\r\nmethod=capture&params%5BORDERID%5D=run-1'],
  ['outcome-in-flight', '\0\0\0\x50\0\0\0\x05…{"orderId":"run-1","record":"OUTCOME"}'],
])('knows the bytes of %s', (name, bytes) => {
  expect(WRITTEN.find((point) => point.name === name)?.is.test(bytes)).toBe(true);
  expect(WRITTEN.find((point) => point.name === name)?.is.test(bytes.replace(/\x08|OK|OUTCOME|ORDERID/g, '?'))).toBe(
    false,
  );
});

it('is passed when the bytes, or half of them, have arrived; and they arrive whole when the process lives on', async () => {
  let arrived = '';
  const server = createServer((socket) => socket.on('data', (bytes) => (arrived += bytes.toString())));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const passed: string[] = [];
  const undo = watchWrites(
    [
      { name: 'half', written: 'half', is: /halve me/ },
      { name: 'none', written: 'none', is: /later/ },
      { name: 'all', written: 'all', is: /later/ },
    ],
    (name) => passed.push(name),
  );
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  try {
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    socket.cork();
    socket.write('head, ', 'latin1');
    socket.write(Buffer.from('halve me, '));
    socket.uncork();
    socket.write('later');
    await waitFor(() => arrived === 'head, halve me, later');
    expect(passed).toEqual(['half', 'none', 'all']);
  } finally {
    undo();
    socket.destroy();
    server.close();
  }
});
