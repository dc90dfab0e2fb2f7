import { once } from 'node:events';
import { connect } from 'node:net';
import { service, json } from '../test/shop-service.js';

jest.setTimeout(30_000);

async function answersAndCloses(port: number | undefined, request: string, status: string, code: string) {
  const socket = connect(port ?? 0, '127.0.0.1');
  socket.write(request);
  let answer = '';
  socket.on('data', (part) => (answer += part.toString()));
  await once(socket, 'close');
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(answer).toContain('application/problem+json');
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ code });
}

describe('public HTTP', () => {
  const { running, lines } = service({
    limits: { bodyBytes: 200, incomingBytes: 20_000 },
  });
  let url: string;
  beforeAll(async () => {
    await running.start();
    url = `http://127.0.0.1:${running.port}`;
  });
  afterAll(() => running.stop('test'));

  async function problemAt(path: string, init?: RequestInit) {
    const response = await fetch(url + path, init);
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: JSON.parse(text) as Record<string, unknown>,
    };
  }

  it('answers, with configuration and log injected', async () => {
    expect(await (await fetch(`${url}/greeting`)).json()).toMatchObject({ greeting: 'hello' });
  });

  it('continues the trace of the caller, in the log and onwards', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const response = await fetch(`${url}/greeting`, { headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` } });
    const { out } = (await response.json()) as { out: Record<string, string> };
    expect(out.traceparent).toMatch(new RegExp(`^00-${traceId}-`));
    expect(lines.filter(({ message }) => message === 'greeted').at(-1)).toMatchObject({ trace_id: traceId });
  });

  it('gives bodies as instances of their classes', async () => {
    const response = await fetch(`${url}/orders`, { method: 'POST', headers: json, body: '{"orderId":"1","cart":[]}' });
    expect(await response.json()).toEqual({ isInstance: true });
  });

  it('reports every fault of a body with its path, and no value', async () => {
    const body = JSON.stringify({
      orderId: 'canary-3',
      cart: [{ price: 1 }, { price: 'canary-4', extra: 1 }],
      more: 'canary-5',
    });
    const { status, body: problem, text } = await problemAt('/orders', { method: 'POST', headers: json, body });
    expect(status).toBe(400);
    expect(problem).toMatchObject({
      type: 'urn:tranche:problem:invalid_request',
      title: 'Invalid request',
      status: 400,
      instance: '/orders',
      code: 'invalid_request',
    });
    expect(problem.traceId).toMatch(/^[0-9a-f]{32}$/);
    const faults = problem.faults as { path: string; code: string; message: string }[];
    expect(faults.map(({ path, code }) => `${path} ${code}`).sort()).toEqual([
      'cart[1].extra unknown_field',
      'cart[1].price type',
      'more unknown_field',
      'orderId length',
    ]);
    expect(text).not.toContain('canary');
  });

  it.each([
    ['nothing', undefined],
    ['a list', '[]'],
    ['a text', '"x"'],
    ['null', 'null'],
    ['a number', '7'],
    ['a list of orders', '[{"orderId":"1","cart":[]}]'],
  ])('refuses %s as a body', async (_, body) => {
    const { status } = await problemAt('/orders', { method: 'POST', headers: json, body });
    expect(status).toBe(400);
  });

  it.each([
    ['broken JSON', { body: '{"orderId":canary', headers: json }, 400, 'malformed_request'],
    [
      'a poisoned prototype',
      { body: '{"__proto__":{"x":1},"orderId":"1","cart":[]}', headers: json },
      400,
      'malformed_request',
    ],
    [
      'a body above the limit',
      { body: JSON.stringify({ orderId: 'x'.repeat(200) }), headers: json },
      413,
      'payload_too_large',
    ],
    ['plain text', { body: 'x', headers: { 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
    [
      'a form',
      { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      'unsupported_media_type',
    ],
  ])('refuses %s', async (_, init, status, code) => {
    const problem = await problemAt('/orders', { method: 'POST', ...init });
    expect(problem).toMatchObject({ status, body: { code, status } });
    expect(problem.text).not.toContain('canary');
  });

  it('takes a body of exactly the limit', async () => {
    const rest = JSON.stringify({ orderId: '1', cart: [], x: '' }).length;
    const { status } = await problemAt('/orders', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ orderId: '1', cart: [], x: 'y'.repeat(200 - rest) }),
    });
    expect(status).toBe(400);
  });

  it.each([
    ['GET', '/nowhere?email=canary', 404],
    ['DELETE', '/orders', 404],
    ['GET', '/%zz', 400],
  ])('%s %s is %d', async (method, path, status) => {
    const problem = await problemAt(path, { method });
    expect(problem.status).toBe(status);
    expect(problem.text).not.toContain('canary');
  });

  it.each([401, 403, 404, 418, 429, 500, 503])(
    "keeps the status %d of Nest's exceptions and not their text",
    async (status) => {
      const problem = await problemAt('/nest/x', { headers: { 'x-status': String(status) } });
      expect(problem.status).toBe(status);
      expect(problem.text).not.toContain('canary');
    },
  );

  it('answers an unknown error with 500 without internals, and logs it', async () => {
    const { status, text, body } = await problemAt('/broken?card=canary');
    expect(status).toBe(500);
    expect(body).toMatchObject({ code: 'internal_error', instance: '/broken' });
    expect(text).not.toMatch(/canary|internal: /);
    expect(lines.at(-1)).toMatchObject({
      level: 'error',
      err: { message: expect.stringContaining('internal') },
      trace_id: body.traceId,
    });
  });

  it('hands on the headers of a problem', async () => {
    const { status, headers, body } = await problemAt('/problem');
    expect([status, headers.get('retry-after'), headers.get('cache-control')]).toEqual([503, '7', 'no-store']);
    expect(body).toMatchObject({ code: 'platform_unavailable', title: 'Platform unavailable', detail: 'Later.' });
  });

  it.each([
    [
      'headers above the limit',
      `GET /greeting HTTP/1.1\r\nhost: h\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      '431',
      'headers_too_large',
    ],
    ['what is no HTTP', 'nonsense\r\n\r\n', '400', 'malformed_request'],
  ])('answers %s and closes', async (_, request, status, code) => {
    await answersAndCloses(running.port, request, status, code);
  });

  it('closes a connection whose incomplete body takes too much memory, and continues', async () => {
    const socket = connect(running.port ?? 0, '127.0.0.1');
    const closed = once(socket, 'close');
    socket.on('error', () => undefined);
    // One byte per chunk: far more than 200 bytes in memory.
    const head =
      'POST /orders HTTP/1.1\r\nhost: shop\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
    socket.write(head + '1\r\n \r\n'.repeat(100));
    await closed;
    const metrics = await (await fetch(`http://127.0.0.1:${running.managementPort}/metrics`)).text();
    expect(metrics).toMatch(/^http_server_incoming_bodies_cut_total(\{.*\})? 1$/m);
    expect((await fetch(`${url}/nowhere`)).status).toBe(404);
  });

  it('counts requests by route, not by address', async () => {
    await fetch(`${url}/nowhere/canary-6`);
    const metrics = await (await fetch(`http://127.0.0.1:${running.managementPort}/metrics`)).text();
    expect(metrics).toContain(
      'http_server_request_duration_seconds_count{service="shop",method="GET",route="/greeting",status="200"}',
    );
    expect(metrics).not.toContain('canary');
  });
});

describe('public HTTP that waits for a moment only', () => {
  const { running } = service({ limits: { headersTimeoutMs: 300, requestTimeoutMs: 600 } });
  beforeAll(() => running.start());
  afterAll(() => running.stop('test'));

  it.each([
    ['headers that do not end', 'GET /greeting HTTP/1.1\r\nhost: h\r\n'],
    [
      'a body that does not end',
      'POST /orders HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
    ],
  ])('answers %s and closes', async (_, request) => {
    await answersAndCloses(running.port, request, '408', 'request_timeout');
  });
});
