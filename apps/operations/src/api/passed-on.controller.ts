import { Body, Controller, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { OperatorRequest } from '@tranche/operators';
import { OperatorGuard, Route } from './operator.guard.js';
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

  @Post('operations/:id/resolve')
  @Route('operator', 'resolution.submit')
  resolve(@Req() request: Request, @Body() body: unknown, @Res() reply: Reply): Promise<void> {
    return this.#pass(request, reply, body);
  }

  @Post('conflicts/:id/settle')
  @Route('operator', 'resolution.submit')
  settle(@Req() request: Request, @Body() body: unknown, @Res() reply: Reply): Promise<void> {
    return this.#pass(request, reply, body);
  }

  @Get('me')
  @Route('viewer', 'order.read')
  me(@Req() request: Request, @Res() reply: Reply): Promise<void> {
    return this.#pass(request, reply);
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

  async #pass({ method, url, headers }: Request, reply: Reply, body?: unknown): Promise<void> {
    const answer = await this.gateway.pass({ method, url, headers, body });
    reply.code(answer.status).headers(answer.headers).send(answer.body);
  }
}
