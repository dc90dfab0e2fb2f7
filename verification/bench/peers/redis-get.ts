import { fastify } from 'fastify';
import { createClient } from 'redis';
import { Body, Controller, Get, Header, HttpCode, Inject, Module, Post, ValidationPipe } from '@nestjs/common';
import { IsOptional, IsString, Length, Matches } from 'class-validator';
import { serveNest } from './nest-app.js';

/**
 * Lower bound for handing out a token from Redis: one Fastify route with a JSON body that sends the value of one GET as it is. It checks no
 * caller, decrypts nothing, and has no metric and no log line. VALUE has the size of our answer.
 */
export async function bareRedisGet(): Promise<void> {
  const key = process.env.REDIS_KEY ?? '';
  const redis = await createClient({ url: process.env.REDIS_URL ?? '' }).connect();
  await redis.set(key, process.env.VALUE ?? '', { expiration: { type: 'EX', value: 3_600 } });

  const app = fastify();
  app.get('/health', () => 'OK');
  app.post('/v1/tokens', async (_request, reply) => {
    const answer = await redis.get(key);
    return reply.type('application/json; charset=utf-8').header('cache-control', 'no-store').send(answer);
  });
  await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
}

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
