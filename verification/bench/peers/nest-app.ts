import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';

/** Serves an ordinary Nest application on Fastify, as Nest's documentation shows it, on PORT. */
export async function serveNest(
  Module: Type,
  prepare: (app: INestApplication) => void = () => undefined,
): Promise<void> {
  const app = await NestFactory.create<NestFastifyApplication>(Module, new FastifyAdapter(), {
    logger: ['error', 'warn'],
  });
  prepare(app);
  await app.listen(Number(process.env.PORT), '127.0.0.1');
}
