import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';

/** An ordinary Nest application on Fastify, as its documentation shows it, on PORT. */
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
