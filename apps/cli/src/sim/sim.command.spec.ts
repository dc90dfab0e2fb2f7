import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { aTerminal } from '../../test/run-tranche.js';

let server: Server;
let terminal: ReturnType<typeof aTerminal>;
const requests: [string, string, unknown][] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += String(part)));
    request.on('end', () => {
      requests.push([request.method!, request.url!, text === '' ? undefined : JSON.parse(text)]);
      const isList = request.method === 'GET';
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(isList ? '[{"id":"f1","match":{"times":1},"fault":{"executeThenReset":true}}]' : '{"id":"f1"}');
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  terminal = aTerminal({ SIMULATOR_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
afterAll(() => {
  server.close();
  terminal.close();
});
beforeEach(() => void requests.splice(0));

it('adds, lists and clears fault rules', async () => {
  const rule = ['--order', 'order-1', '--times', '1', '--operation', 'capture'];
  expect(await terminal.run(['sim', 'fault', 'executeThenReset', ...rule])).toMatchObject({ code: 0 });
  expect(await terminal.run(['sim', 'fault', 'status5xx', '--value', '{"when":"before","status":503}'])).toMatchObject({ code: 0 });
  expect((await terminal.run(['sim', 'faults'])).out).toMatch(/^f1 +\{"times":1\} +\{"executeThenReset":true\}$/m);
  expect(await terminal.run(['sim', 'clear', 'f1'])).toMatchObject({ code: 0 });
  expect(requests).toEqual([
    ['POST', '/simulator/faults', { match: { operation: 'capture', times: 1, orderPrefix: 'order-1' }, fault: { executeThenReset: true } }],
    ['POST', '/simulator/faults', { match: {}, fault: { status5xx: { when: 'before', status: 503 } } }],
    ['GET', '/simulator/faults', undefined],
    ['DELETE', '/simulator/faults/f1', undefined],
  ]);
}); // prettier-ignore

it('disturbs nothing in production', async () => {
  expect(await terminal.run(['sim', 'clear'], { TOPICS: 'check' })).toMatchObject({ code: 3 });
  expect(requests).toEqual([]);
});

it('names the simulator that does not answer', async () => {
  const { code, err } = await terminal.run(['sim', 'faults'], { SIMULATOR_URL: 'http://127.0.0.1:1' });
  expect(code).toBe(1);
  expect(err).toContain('http://127.0.0.1:1 (SIMULATOR_URL)');
});
