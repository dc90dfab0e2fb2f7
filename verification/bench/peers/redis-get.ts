import { createClient } from 'redis';
import { Body, Controller, Get, Header, HttpCode, Inject, Module, Post, ValidationPipe } from '@nestjs/common';
import { IsOptional, IsString, Length, Matches } from 'class-validator';
import { serveNest } from './nest-app.js';

const REDIS = Symbol('Redis');
const keyOf = (account: string) => `${process.env.REDIS_KEY}:${account}`;

async function connected() {
  const redis = await createClient({ url: process.env.REDIS_URL ?? '' }).connect();
  await redis.set(keyOf(process.env.ACCOUNT ?? ''), process.env.VALUE ?? '', {
    expiration: { type: 'EX', value: 3_600 },
  });
  return redis;
}

class TokenRequest {
  @IsString()
  @Length(1, 64)
  account: string;

  @IsOptional()
  @Matches(/^[\w-]{1,64}$/)
  refused?: string;
}

@Controller()
class TokenController {
  constructor(@Inject(REDIS) private readonly redis: Awaited<ReturnType<typeof connected>>) {}

  @Get('health')
  health(): string {
    return 'OK';
  }

  @Post('v1/tokens')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @Header('content-type', 'application/json; charset=utf-8')
  token(@Body() { account }: TokenRequest): Promise<string | null> {
    return this.redis.get(keyOf(account));
  }
}

@Module({ controllers: [TokenController], providers: [{ provide: REDIS, useFactory: connected }] })
class PeerModule {}

export function nestRedisGet(): Promise<void> {
  return serveNest(PeerModule, (app) =>
    app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true })),
  );
}
