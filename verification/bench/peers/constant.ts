import { Body, Controller, Get, Header, HttpCode, Module, Post, Res } from '@nestjs/common';
import { serveNest } from './nest-app.js';

const answer = process.env.ANSWER ?? '';
const headers = JSON.parse(process.env.HEADERS ?? '{}') as Record<string, string>;

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
