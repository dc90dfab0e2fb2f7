import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  HttpException,
  Module,
  Post,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { EventPattern, Payload, Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { Type } from 'class-transformer';
import { IsInt, IsString, Length, ValidateNested } from 'class-validator';
import { untilUp } from '@tranche/runtime';
import { Env, loadConfig } from './config.js';
import { KitConfig } from './kit.config.js';
import { ConfigToken, ServiceLifetime } from './kit.module.js';
import { createLogger, ServiceLogger } from './logger.js';
import { Problem } from './problem.js';
import { ServiceProcess, ShutdownTimeoutError, type ServiceDefinition } from './service-process.js';
import { injectTrace } from './tracing.js';

class Settings {
  @Env('GREETING', { doc: 'a word', default: 'hello' })
  greeting: string;
}

class Item {
  @IsInt()
  price: number;
}

class Order {
  @IsString()
  @Length(1, 5)
  orderId: string;

  @ValidateNested({ each: true })
  @Type(() => Item)
  cart: Item[];
}

const gate = new EventEmitter();

@Controller()
class Shop {
  constructor(
    private readonly settings: Settings,
    private readonly log: ServiceLogger,
  ) {}

  @Get('greeting')
  greeting() {
    this.log.info({}, 'greeted');
    return { greeting: this.settings.greeting, out: injectTrace({}) };
  }

  @Post('orders')
  @HttpCode(200)
  order(@Body() order: Order) {
    return { isInstance: order instanceof Order };
  }

  @Get('slow')
  async slow() {
    gate.emit('entered');
    await once(gate, 'open');
    return { done: true };
  }

  @Get('broken')
  broken() {
    throw new Error('internal: password canary-1');
  }

  @Get('nest/:status')
  nest(@Headers('x-status') status: string) {
    throw new HttpException('canary-2', Number(status));
  }

  @Get('problem')
  problem() {
    throw new Problem({ status: 503, code: 'platform_unavailable', detail: 'Later.', headers: { 'retry-after': '7' } });
  }

  @EventPattern<string>('thing')
  thing(@Payload() payload: unknown) {
    if (payload === 'bad') throw new RangeError('of the handler');
    return { took: payload };
  }
}

@Module({ controllers: [Shop] })
class ShopModule {}

const shop: ServiceDefinition<Settings> = {
  name: 'shop',
  Config: Settings,
  module: () => ShopModule,
  port: () => 0,
  managementPort: () => 0,
};

function service(changes: Partial<ServiceDefinition<Settings>> = {}, env: Record<string, string> = {}) {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    name: 'shop',
    destination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const kit = loadConfig(KitConfig, { BIND_ADDRESS: '127.0.0.1', ...env });
  return { running: new ServiceProcess({ ...shop, ...changes }, loadConfig(Settings, {}), kit, log), lines };
}

const json = { 'content-type': 'application/json' };

jest.setTimeout(30_000);

describe('public HTTP', () => {
  const { running, lines } = service({ limits: { bodyBytes: 200, headersTimeoutMs: 300, requestTimeoutMs: 600 } });
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
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as Record<string, unknown> };
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
    const body = JSON.stringify({ orderId: 'canary-3', cart: [{ price: 1 }, { price: 'canary-4', extra: 1 }], more: 'canary-5' });
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
    ['a poisoned prototype', { body: '{"__proto__":{"x":1},"orderId":"1","cart":[]}', headers: json }, 400, 'malformed_request'],
    ['a body above the limit', { body: JSON.stringify({ orderId: 'x'.repeat(200) }), headers: json }, 413, 'payload_too_large'],
    ['plain text', { body: 'x', headers: { 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
    ['a form', { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415, 'unsupported_media_type'],
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

  it.each([401, 403, 404, 418, 429, 500, 503])("keeps the status %d of Nest's exceptions and not their text", async (status) => {
    const problem = await problemAt('/nest/x', { headers: { 'x-status': String(status) } });
    expect(problem.status).toBe(status);
    expect(problem.text).not.toContain('canary');
  });

  it('answers an unknown error with 500 without internals, and logs it', async () => {
    const { status, text, body } = await problemAt('/broken?card=canary');
    expect(status).toBe(500);
    expect(body).toMatchObject({ code: 'internal_error', instance: '/broken' });
    expect(text).not.toMatch(/canary|internal: /);
    expect(lines.at(-1)).toMatchObject({ level: 'error', err: { message: expect.stringContaining('internal') }, trace_id: body.traceId });
  });

  it('hands on the headers of a problem', async () => {
    const { status, headers, body } = await problemAt('/problem');
    expect([status, headers.get('retry-after'), headers.get('cache-control')]).toEqual([503, '7', 'no-store']);
    expect(body).toMatchObject({ code: 'platform_unavailable', title: 'Platform unavailable', detail: 'Later.' });
  });

  it.each([
    ['headers above the limit', `GET /greeting HTTP/1.1\r\nhost: h\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, '431', 'headers_too_large'],
    ['what is no HTTP', 'nonsense\r\n\r\n', '400', 'malformed_request'],
    ['headers that do not end', 'GET /greeting HTTP/1.1\r\nhost: h\r\n', '408', 'request_timeout'],
    [
      'a body that does not end',
      'POST /orders HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
      '408',
      'request_timeout',
    ],
  ])('answers %s and closes', async (_, request, status, code) => {
    const socket = connect(running.port ?? 0, '127.0.0.1');
    socket.write(request);
    let answer = '';
    socket.on('data', (part) => (answer += part.toString()));
    await once(socket, 'close');
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain('application/problem+json');
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ code });
  });

  it('counts requests by route, not by address', async () => {
    await fetch(`${url}/nowhere/canary-6`);
    const metrics = await (await fetch(`http://127.0.0.1:${running.managementPort}/metrics`)).text();
    expect(metrics).toContain('http_server_request_duration_seconds_count{service="shop",method="GET",route="/greeting",status="200"}');
    expect(metrics).not.toContain('canary');
  });
});

describe('start and stop', () => {
  class Fake extends Server implements CustomTransportStrategy {
    readonly happened: string[] = [];
    constructor(private readonly order: string[] = []) {
      super();
    }
    listen(callback: () => void) {
      this.order.push('strategy listens');
      callback();
    }
    close() {
      this.order.push('strategy closes');
    }
    on() {
      throw new Error('not used');
    }
    unwrap<T>(): T {
      throw new Error('not used');
    }
    async deliver(payload: unknown) {
      const handler = this.getHandlerByPattern('thing');
      const result: unknown = await handler?.(payload);
      return this.transformToObservable(result).toPromise();
    }
  }

  it('opens its ports in order and stops in order', async () => {
    const order: string[] = [];
    @Module({})
    class Ordered implements OnModuleInit, OnApplicationShutdown {
      onModuleInit = () => void order.push('init');
      onApplicationShutdown = () => void order.push('hooks');
    }
    const strategy = new Fake(order);
    const { running, lines } = service({ module: () => ({ module: Ordered, imports: [ShopModule] }), strategies: () => [strategy] });
    await running.start();
    const public_ = `http://127.0.0.1:${running.port}`;
    const ready = `http://127.0.0.1:${running.managementPort}/health/ready`;
    expect((await fetch(ready)).status).toBe(200);
    const entered = once(gate, 'entered');
    const slow = fetch(`${public_}/slow`).then((response) => response.json());
    await entered;
    const stopped = running.stop('test').then(() => order.push('stopped'));
    expect(await (await fetch(ready)).json()).toEqual({ status: 'down', reasons: [{ name: 'service', reason: 'stopping' }] });
    expect(order).toEqual(['init', 'strategy listens', 'strategy closes']);
    gate.emit('open');
    expect(await slow).toEqual({ done: true });
    await stopped;
    expect(order).toEqual(['init', 'strategy listens', 'strategy closes', 'hooks', 'stopped']);
    await expect(fetch(ready)).rejects.toThrow();
    await expect(fetch(public_)).rejects.toThrow();
    expect(lines.map(({ message }) => message)).toEqual(['shop is starting', 'shop has started', 'shop is stopping', 'shop has stopped']);
  });

  it('cuts who is still sending a request when the time for requests is over', async () => {
    const { running } = service({ limits: { requestTimeoutMs: 300 } }, { SHUTDOWN_TIMEOUT_MS: '20000' });
    await running.start();
    const slow = connect(running.port ?? 0, '127.0.0.1');
    slow.write('POST /orders HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{');
    await once(slow, 'connect');
    const closed = once(slow, 'close');
    slow.resume().on('error', () => undefined);
    await running.stop('test');
    await closed;
  });

  it('gives up a stop that takes too long and says where it hung', async () => {
    const drain = new EventEmitter();
    const strategy = Object.assign(new Fake(), { close: () => once(drain, 'done') });
    const { running } = service({ strategies: () => [strategy] }, { SHUTDOWN_TIMEOUT_MS: '100' });
    await running.start();
    const stop = running.stop('test');
    await expect(stop).rejects.toThrow(ShutdownTimeoutError);
    await expect(stop).rejects.toThrow('draining the consumers took longer than 100 ms');
    drain.emit('done');
  });

  it('is alive and not ready while it waits at the start, and can be stopped then', async () => {
    @Module({})
    class Waiting implements OnModuleInit {
      constructor(
        private readonly log: ServiceLogger,
        private readonly lifetime: ServiceLifetime,
      ) {}
      async onModuleInit() {
        await untilUp('Kafka', () => Promise.reject(new Error('away')), { log: this.log, signal: this.lifetime.stopping });
      }
    }
    const { running, lines } = service({ module: () => Waiting });
    const started = running.start();
    started.catch(() => undefined);
    while (!lines.some(({ level }) => level === 'warn')) await new Promise(setImmediate);
    const management = `http://127.0.0.1:${running.managementPort}`;
    expect((await fetch(`${management}/health/live`)).status).toBe(200);
    expect(await (await fetch(`${management}/health/ready`)).json()).toMatchObject({ reasons: [{ name: 'service', reason: 'starting' }] });
    await running.stop('test');
    await expect(started).rejects.toThrow();
    await expect(fetch(management)).rejects.toThrow();
  });

  it('starts without a public port where there is none', async () => {
    const { running } = service({ port: undefined });
    await running.start();
    expect(running.port).toBeUndefined();
    await running.stop('test');
  });

  it('fails its start with the reason when a port is taken', async () => {
    const first = service();
    await first.running.start();
    const second = service({ port: () => first.running.port ?? 0 });
    await expect(second.running.start()).rejects.toThrow('EADDRINUSE');
    await second.running.stop('test');
    await first.running.stop('test');
  });

  it('gives message handlers the configuration by token, and their errors to the strategy unchanged', async () => {
    let greeting: string | undefined;
    const strategy = new Fake();
    const { running } = service({
      strategies: (app) => {
        greeting = app.get<Settings>(ConfigToken).greeting;
        return [strategy];
      },
    });
    await running.start();
    expect(greeting).toBe('hello');
    await expect(strategy.deliver('good')).resolves.toEqual({ took: 'good' });
    await expect(strategy.deliver('bad')).rejects.toThrow(RangeError);
    await running.stop('test');
  });
});
