import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { untilUp } from '@tranche/runtime';
import { Settings, gate, ShopModule, service } from '../test/shop-service.js';
import { ConfigToken, ServiceLifetime } from './kit.module.js';
import { ServiceLogger } from './logger.js';
import { ShutdownTimeoutError } from './service-process.js';

jest.setTimeout(30_000);

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
    const { running, lines } = service({
      module: () => ({ module: Ordered, imports: [ShopModule] }),
      strategies: () => [strategy],
    });
    await running.start();
    const public_ = `http://127.0.0.1:${running.port}`;
    const ready = `http://127.0.0.1:${running.managementPort}/health/ready`;
    expect((await fetch(ready)).status).toBe(200);
    const metrics = await (await fetch(ready.replace('/health/ready', '/metrics'))).text();
    expect(metrics).toContain(`tranche_build_info{version="dev",node="${process.version}",service="shop"} 1`);
    const entered = once(gate, 'entered');
    const slow = fetch(`${public_}/slow`).then((response) => response.json());
    await entered;
    const stopped = running.stop('test').then(() => order.push('stopped'));
    expect(await (await fetch(ready)).json()).toEqual({
      status: 'down',
      reasons: [{ name: 'service', reason: 'stopping' }],
    });
    expect(order).toEqual(['init', 'strategy listens', 'strategy closes']);
    gate.emit('open');
    expect(await slow).toEqual({ done: true });
    await stopped;
    expect(order).toEqual(['init', 'strategy listens', 'strategy closes', 'hooks', 'stopped']);
    await expect(fetch(ready)).rejects.toThrow();
    await expect(fetch(public_)).rejects.toThrow();
    expect(lines.map(({ message }) => message)).toEqual([
      'shop is starting',
      'shop has started',
      'shop is stopping',
      'shop has stopped',
    ]);
  });

  it('opens the management port on an address of its own where one is set', async () => {
    const { running } = service({}, { BIND_ADDRESS: '127.0.0.1', MANAGEMENT_BIND_ADDRESS: '127.0.0.2' });
    await running.start();
    const isOpen = (host: string) =>
      fetch(`http://${host}:${running.managementPort}/health/ready`).then(
        () => true,
        () => false,
      );
    const open = [await isOpen('127.0.0.1'), await isOpen('127.0.0.2')];
    await running.stop('test');
    expect(open).toEqual([false, true]);
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

  it.each<[string, object, Record<string, string>, string]>([
    ['what the service needs', {}, {}, '60000 ms'],
    ['what is set, also where the service needs more', {}, { SHUTDOWN_TIMEOUT_MS: '100' }, '100 ms'],
    ['25 s where it needs less', { shutdownTimeoutMs: () => 10 }, {}, '25000 ms'],
  ])('takes for a stop %s', async (_what, definition, env, tookLongerThan) => {
    const drain = new EventEmitter();
    const strategy = Object.assign(new Fake(), { close: () => once(drain, 'done') });
    const strategies = () => [strategy];
    const { running } = service({ strategies, shutdownTimeoutMs: () => 60_000, ...definition }, env);
    await running.start();
    jest.useFakeTimers();
    const stop = running.stop('test');
    jest.runOnlyPendingTimers();
    jest.useRealTimers();
    await expect(stop).rejects.toThrow(tookLongerThan);
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
        await untilUp('Kafka', () => Promise.reject(new Error('away')), {
          log: this.log,
          signal: this.lifetime.stopping,
        });
      }
    }
    const { running, lines } = service({ module: () => Waiting });
    const started = running.start();
    started.catch(() => undefined);
    while (!lines.some(({ level }) => level === 'warn')) await new Promise(setImmediate);
    const management = `http://127.0.0.1:${running.managementPort}`;
    expect((await fetch(`${management}/health/live`)).status).toBe(200);
    expect(await (await fetch(`${management}/health/ready`)).json()).toMatchObject({
      reasons: [{ name: 'service', reason: 'starting' }],
    });
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
