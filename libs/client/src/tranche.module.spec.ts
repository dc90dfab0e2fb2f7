import { once } from 'node:events';
import { Controller, Injectable, Module, Scope, type OnApplicationShutdown, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { InMemoryTranche } from './in-memory-tranche.js';
import { OnPaymentEvent } from './on-payment-event.js';
import type { EventOf } from './payment-events.js';
import { Publisher } from './publisher.js';
import type { EventContext } from './subscription.js';
import { TrancheModule, type TrancheModuleOptions } from './tranche.module.js';

const silent = { log: () => undefined, warn: () => undefined, error: () => undefined };
const conflict = { merchant: 'shop-fr', orderId: 'o' };

@Injectable()
class Orders {
  readonly came: string[] = [];

  constructor(readonly publisher: Publisher) {}

  @OnPaymentEvent('payment.conflict.detected', 'payment.operation.external')
  note(event: EventOf<'payment.conflict.detected' | 'payment.operation.external'>, { group }: EventContext): void {
    this.came.push(`${group} ${event.type} ${event.data.orderId}`);
  }
}

@Controller()
class Captures {
  readonly came: number[] = [];

  @OnPaymentEvent('payment.capture.succeeded')
  captured({ data }: EventOf<'payment.capture.succeeded'>): void {
    this.came.push(data.attempt);
  }
}

async function start(options: TrancheModuleOptions, providers: Type[], controllers: Type[] = []) {
  @Module({ imports: [TrancheModule.forRoot(options)], providers, controllers })
  class Shop {}
  const app = await Test.createTestingModule({ imports: [Shop] })
    .setLogger(silent)
    .compile();
  await app.init();
  return app;
}

it('injects the publisher and calls the decorated methods of providers and controllers', async () => {
  const client = new InMemoryTranche();
  const app = await start({ client, subscription: { group: 'shop' } }, [Orders], [Captures]);
  expect(app.get(Orders).publisher).toBe(client.publisher);
  client.emit('payment.conflict.detected', conflict);
  client.emit('payment.operation.external', conflict);
  client.emit('payment.capture.succeeded', { ...conflict, commandId: 'c', operation: 'capture', attempt: 2, origin: 'answer' });
  await client.settled();
  expect(app.get(Orders).came.sort()).toEqual(['shop payment.conflict.detected o', 'shop payment.operation.external o']);
  expect(app.get(Captures).came).toEqual([2]);
  await app.close();
  expect(client.health().reasons).toEqual(['is closed']);
});

it('lets handlers end before what they use is closed at the shutdown', async () => {
  const client = new InMemoryTranche();
  let began: () => void = () => undefined;
  const running = new Promise<void>((resolve) => (began = resolve));
  const steps: string[] = [];
  @Injectable()
  class Slow implements OnApplicationShutdown {
    onApplicationShutdown(): void {
      steps.push('closed');
    }

    @OnPaymentEvent('payment.conflict.detected')
    async note(_event: EventOf<'payment.conflict.detected'>, { signal }: EventContext): Promise<void> {
      began();
      await once(signal, 'abort');
      steps.push('handled');
    }
  }
  const app = await start({ client, subscription: { group: 'shop' } }, [Slow]);
  client.emit('payment.conflict.detected', conflict);
  await running;
  await app.close();
  expect(steps).toEqual(['handled', 'closed']);
});

it('takes its options from a factory', async () => {
  const client = new InMemoryTranche();
  @Module({ providers: [{ provide: 'GROUP', useValue: 'from-factory' }], exports: ['GROUP'] })
  class Settings {}
  const tranche = TrancheModule.forRootAsync({
    imports: [Settings],
    inject: ['GROUP'],
    useFactory: (group: string) => ({ client, subscription: { group } }),
  });
  const app = await Test.createTestingModule({ imports: [tranche], providers: [Orders] })
    .setLogger(silent)
    .compile();
  await app.init();
  client.emit('payment.conflict.detected', conflict);
  await client.settled();
  expect(app.get(Orders).came).toEqual(['from-factory payment.conflict.detected o']);
  await app.close();
});

it('refuses at the start what could not work', async () => {
  @Injectable()
  class Second {
    @OnPaymentEvent('payment.conflict.detected')
    note(): void {}
  }
  @Injectable({ scope: Scope.REQUEST })
  class Scoped {
    @OnPaymentEvent('payment.conflict.detected')
    note(): void {}
  }
  const client = () => new InMemoryTranche();
  const subscription = { group: 'shop' };
  await expect(start({ client: client(), subscription }, [Orders, Second])).rejects.toThrow(/Second\.note is the second/);
  await expect(start({ client: client(), subscription }, [Scoped])).rejects.toThrow(/request-scoped/);
  await expect(start({ client: client() }, [Orders])).rejects.toThrow(/needs subscription\.group/);
});
