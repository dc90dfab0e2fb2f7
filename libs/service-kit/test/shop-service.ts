import { EventEmitter, once } from 'node:events';
import { Body, Controller, Get, Headers, HttpCode, HttpException, Module, Post } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { Type } from 'class-transformer';
import { IsInt, IsString, Length, ValidateNested } from 'class-validator';
import { Env, loadConfig } from '../src/config.js';
import { KitConfig } from '../src/kit.config.js';
import { createLogger, ServiceLogger } from '../src/logger.js';
import { Problem } from '../src/problem.js';
import { ServiceProcess, type ServiceDefinition } from '../src/service-process.js';
import { injectTrace } from '../src/tracing.js';

export class Settings {
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

export const gate = new EventEmitter();

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
export class ShopModule {}

const shop: ServiceDefinition<Settings> = {
  name: 'shop',
  Config: Settings,
  module: () => ShopModule,
  port: () => 0,
  managementPort: () => 0,
};

export function service(changes: Partial<ServiceDefinition<Settings>> = {}, env: Record<string, string> = {}) {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    name: 'shop',
    destination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const kit = loadConfig(KitConfig, { BIND_ADDRESS: '127.0.0.1', ...env });
  return { running: new ServiceProcess({ ...shop, ...changes }, loadConfig(Settings, {}), kit, log), lines };
}

export const json = { 'content-type': 'application/json' };
