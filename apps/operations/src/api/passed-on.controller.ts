import { Controller, Delete, Get, Post, Put, Req, Res, UseGuards } from '@nestjs/common';
import { OperatorGuard, type OperatorRequest } from '@tranche/operators';
import { Route } from './operator.guard.js';
import { GatewayClient } from '../gateway/gateway.client.js';

interface Request extends OperatorRequest {
  method: string;
  url: string;
  body?: unknown;
}

interface Reply {
  code(status: number): Reply;
  headers(headers: Record<string, string>): Reply;
  send(body: string): Reply;
}

const ROUTES = [
  [Get('me'), 'viewer', 'me.read'],
  [Post('operations/:id/resolve'), 'operator', 'resolution.submit'],
  [Post('conflicts/:id/settle'), 'operator', 'conflict.settle'],
  [Get('proposals'), 'viewer', 'proposals.read'],
  [Post('proposals/:id/approve'), 'approver', 'resolution.approve'],
  [Post('proposals/:id/reject'), 'approver', 'resolution.reject'],
  [Post('replays'), 'operator', 'command.replay'],
  [Get('rails'), 'viewer', 'doubts.read'],
  [Get('controls'), 'viewer', 'controls.read'],
  [Put('controls/:scope'), 'operator', 'control.stop'],
  [Delete('controls/:scope'), 'operator', 'control.end'],
] as const;

/** Decisions are the gateway's: it gets each request with the person's own token, judges and audits it. */
@Controller('v1')
@UseGuards(OperatorGuard)
export class PassedOnController {
  constructor(private readonly gateway: GatewayClient) {}

  async pass({ method, url, headers, body }: Request, reply: Reply): Promise<void> {
    const answer = await this.gateway.pass({ method, url, headers, body });
    reply.code(answer.status).headers(answer.headers).send(answer.body);
  }
}

// Nest keeps what a decorator says at the handler, so each route has a handler of its own.
for (const [route, role, action] of ROUTES) {
  const { prototype } = PassedOnController;
  const handler = function (this: PassedOnController, request: Request, reply: Reply): Promise<void> {
    return this.pass(request, reply);
  };
  const descriptor = { value: handler };
  Object.defineProperty(prototype, action, descriptor);
  Req()(prototype, action, 0);
  Res()(prototype, action, 1);
  for (const decorate of [route, Route(role, action)]) decorate(prototype, action, descriptor);
}
