import { once } from 'node:events';
import {
  Catch,
  Controller,
  Injectable,
  Module,
  Post,
  Scope,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  type ArgumentMetadata,
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
  type OnApplicationShutdown,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { silentLog } from '@tranche/runtime';
import { tap } from 'rxjs';
import { InMemoryTranche } from './testing.js';
import { OnPaymentEvent, TrancheModule, type TrancheModuleOptions } from './nest.js';
import type { EventOf } from './payment-events.js';
import { Publisher } from './publisher.js';
import type { EventContext } from './subscription.js';

const silent = { log: () => undefined, warn: () => undefined, error: () => undefined };
const conflict = { merchant: 'shop-fr', orderId: 'o', flags: ['other_amount'], origin: 'notification' as const };

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
  client.emit('payment.capture.succeeded', {
    ...conflict,
    commandId: 'c',
    operation: 'capture',
    attempt: 2,
    origin: 'answer',
  });
  await client.settled();
  expect(app.get(Orders).came.sort()).toEqual([
    'shop payment.conflict.detected o',
    'shop payment.operation.external o',
  ]);
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

it('answers 400 with all faults where a route lets the refusal of a command through', async () => {
  @Controller()
  class Voids {
    constructor(private readonly publisher: Publisher) {}

    @Post('void')
    async void(): Promise<void> {
      await this.publisher.void({ merchant: 'shop-fr', orderId: '', description: '' }, { id: 'c' });
    }
  }
  @Module({ imports: [TrancheModule.forRoot({ client: new InMemoryTranche() })], controllers: [Voids] })
  class Shop {}
  const module = await Test.createTestingModule({ imports: [Shop] })
    .setLogger(silent)
    .compile();
  const app = await module.createNestApplication<NestFastifyApplication>(new FastifyAdapter()).init();
  const { statusCode, body } = await app.inject({ method: 'POST', url: '/void' });
  expect({ statusCode, ...(JSON.parse(body) as object) }).toEqual({
    statusCode: 400,
    message: expect.stringMatching(/^payment\.void was not published: orderId must .*; description must /) as string,
  });
  await app.close();
});

describe("an app's guards, interceptors, pipes and filters", () => {
  const steps: string[] = [];
  let refusals = 0;

  @Injectable()
  class ShopGuard implements CanActivate {
    constructor(private readonly publisher: Publisher) {}

    canActivate(context: ExecutionContext): boolean {
      const [{ data }, { attempt }] = context.getArgs<[EventOf<'payment.conflict.detected'>, EventContext]>();
      const isInjected = this.publisher instanceof Publisher;
      steps.push(
        `guard ${context.getType<string>()} ${context.getHandler().name} ${data.orderId} ${attempt} ${isInjected}`,
      );
      return refusals-- <= 0;
    }
  }
  class Around implements NestInterceptor {
    intercept(_context: ExecutionContext, next: CallHandler) {
      steps.push('before');
      return next.handle().pipe(tap({ error: () => steps.push('failed') }));
    }
  }
  class Upper implements PipeTransform {
    transform(value: object, { type }: ArgumentMetadata): object {
      steps.push(`pipe ${type}`);
      return type === 'body' ? { ...value, source: 'piped' } : value;
    }
  }
  @Catch(RangeError)
  class Ending implements ExceptionFilter {
    catch({ message }: RangeError, host: ArgumentsHost): string {
      steps.push(`filter ${host.getType<string>()} ${message}`);
      return 'done';
    }
  }

  beforeEach(() => steps.splice(0));

  it('run around the methods of a provider, the filter ends what it catches', async () => {
    @Injectable()
    @UseGuards(ShopGuard)
    class Guarded {
      readonly text = 'out of range';

      @OnPaymentEvent('payment.conflict.detected')
      @UseInterceptors(Around)
      @UsePipes(Upper)
      @UseFilters(Ending)
      note({ source }: EventOf<'payment.conflict.detected'>, { group }: EventContext): void {
        steps.push(`handler ${source} ${group}`);
        throw new RangeError(this.text);
      }
    }
    const client = new InMemoryTranche();
    const giveUp = { afterAttempts: 1, onGivenUp: () => steps.push('given up') };
    const subscription = { group: 'shop', giveUp };
    const app = await start({ client, subscription }, [Guarded]);
    client.emit('payment.conflict.detected', conflict);
    await client.settled();
    expect(steps).toEqual([
      'guard payment-event note o 1 true',
      'before',
      expect.stringMatching(/^pipe/),
      expect.stringMatching(/^pipe/),
      'handler piped shop',
      'failed',
      'filter payment-event out of range',
    ]);
    expect(steps).toEqual(expect.arrayContaining(['pipe body', 'pipe custom']));
    await app.close();
  });

  it('bring the event again where a guard refuses it', async () => {
    @Injectable()
    class Guarded {
      @OnPaymentEvent('payment.conflict.detected')
      @UseGuards(ShopGuard)
      note(): void {
        steps.push('handler');
      }
    }
    refusals = 1;
    const client = new InMemoryTranche({ log: silentLog });
    const app = await start({ client, subscription: { group: 'shop', retryDelayMs: 1 } }, [Guarded]);
    client.emit('payment.conflict.detected', conflict);
    await client.settled();
    expect(steps).toEqual(['guard payment-event note o 1 true', 'guard payment-event note o 2 true', 'handler']);
    await app.close();
  });

  it('are refused on a controller where Nest could not find them', async () => {
    @Controller()
    class Guarded {
      @OnPaymentEvent('payment.conflict.detected')
      @UseGuards(ShopGuard)
      note(): void {}
    }
    const options = { client: new InMemoryTranche(), subscription: { group: 'shop' } };
    await expect(start(options, [], [Guarded])).rejects.toThrow(/Guarded\.note has guards.*make Guarded a provider/);
  });
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
  await expect(start({ client: client(), subscription }, [Orders, Second])).rejects.toThrow(
    /Second\.note is the second/,
  );
  await expect(start({ client: client(), subscription }, [Scoped])).rejects.toThrow(/request-scoped/);
  await expect(start({ client: client() }, [Orders])).rejects.toThrow(/needs subscription\.group/);
});
