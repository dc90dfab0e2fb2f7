import { Body, Controller, Delete, Get, Post, Put, Req, Res, UseGuards } from '@nestjs/common';
import { OperatorGuard, type OperatorRequest } from '@tranche/operators';
import { Route } from './operator.guard.js';
import { GatewayClient } from '../gateway/gateway.client.js';

interface Request extends OperatorRequest {
  method: string;
  url: string;
}

interface Reply {
  code(status: number): Reply;
  headers(headers: Record<string, string>): Reply;
  send(body: string): Reply;
}

/** Decisions are the gateway's: it gets each request with the person's own token, judges and audits it. */
@Controller('v1')
@UseGuards(OperatorGuard)
export class PassedOnController {
  constructor(private readonly gateway: GatewayClient) {}

  @Get('me')
  @Route('viewer', 'me.read')
  me(@Req() request: Request, @Res() reply: Reply): Promise<void> {
    return this.#pass(request, reply);
  }

  @Post('operations/:id/resolve')
  @Route('operator', 'resolution.submit')
  resolve(@Req() request: Request, @Body() body: unknown, @Res() reply: Reply): Promise<void> {
    return this.#pass(request, reply, body);
  }

  @Post('conflicts/:id/settle')
  @Route('operator', 'conflict.settle')
  settle(@Req() request: Request, @Body() body: unknown, @Res() reply: Reply): Promise<void> {
    return this.#pass(request, reply, body);
  }

  @Get('proposals')
  @Route('viewer', 'proposals.read')
  proposals(@Req() request: Request, @Res() reply: Reply): Promise<void> {
    return this.#pass(request, reply);
  }

  @Post('proposals/:id/approve')
  @Route('approver', 'resolution.approve')
  approve(@Req() request: Request, @Res() reply: Reply): Promise<void> {
    return this.#pass(request, reply);
  }

  @Post('proposals/:id/reject')
  @Route('approver', 'resolution.reject')
  reject(@Req() request: Request, @Res() reply: Reply): Promise<void> {
    return this.#pass(request, reply);
  }

  @Get('rails')
  @Route('viewer', 'doubts.read')
  rails(@Req() request: Request, @Res() reply: Reply): Promise<void> {
    return this.#pass(request, reply);
  }

  @Get('controls')
  @Route('viewer', 'controls.read')
  controls(@Req() request: Request, @Res() reply: Reply): Promise<void> {
    return this.#pass(request, reply);
  }

  @Put('controls/:scope')
  @Route('operator', 'control.stop')
  stop(@Req() request: Request, @Body() body: unknown, @Res() reply: Reply): Promise<void> {
    return this.#pass(request, reply, body);
  }

  @Delete('controls/:scope')
  @Route('operator', 'control.end')
  end(@Req() request: Request, @Body() body: unknown, @Res() reply: Reply): Promise<void> {
    return this.#pass(request, reply, body);
  }

  async #pass({ method, url, headers }: Request, reply: Reply, body?: unknown): Promise<void> {
    const answer = await this.gateway.pass({ method, url, headers, body });
    reply.code(answer.status).headers(answer.headers).send(answer.body);
  }
}
