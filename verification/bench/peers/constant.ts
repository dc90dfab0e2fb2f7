import { fastify } from 'fastify';
import { Body, Controller, Get, Header, HttpCode, Module, Post, Res } from '@nestjs/common';
import { serveNest } from './nest-app.js';

const answer = process.env.ANSWER ?? '';
const headers = JSON.parse(process.env.HEADERS ?? '{}') as Record<string, string>;

/**
 * Lower bound for handing out a key: one Fastify route that reads a JSON body and answers `ANSWER` with the headers in `HEADERS` (JSON). It
 * has no origins, limits, card data guard, metrics or Nest.
 */
export async function bareConstant(): Promise<void> {
  const app = fastify();
  app.get('/health', () => 'OK');
  app.post('/v1/cse-keys', async (_request, reply) =>
    reply.headers(headers).type('application/json; charset=utf-8').send(answer),
  );
  await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
}

interface Reply {
  headers(values: Record<string, string>): Reply;
}

@Controller()
class KeyController {
  @Get('health')
  health(): string {
    return 'OK';
  }

  @Post('v1/cse-keys')
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  key(@Body() _request: unknown, @Res({ passthrough: true }) reply: Reply): string {
    reply.headers(headers);
    return answer;
  }
}

@Module({ controllers: [KeyController] })
class PeerModule {}

export function nestConstant(): Promise<void> {
  return serveNest(PeerModule);
}
