import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  Injectable,
  Param,
  Post,
  Req,
  Res,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import type { DeskView } from '../../page/views.js';
import { CheckoutConfig } from '../checkout.config.js';
import { Visitors, type PageRequest } from '../web/visitors.service.js';
import { DeskService } from './desk.service.js';
import { readSearch } from './desk-view.js';

interface Reply {
  header(name: string, value: string): Reply;
  /** A file beside the shop's page (@fastify/static). */
  sendFile(name: string): unknown;
}

/** HTTP Basic with one password, whatever the user's name: browsers ask for it by themselves. A real shop has its own sign-in here. */
@Injectable()
export class DeskGuard implements CanActivate {
  constructor(private readonly config: CheckoutConfig) {}

  canActivate(context: ExecutionContext): boolean {
    const { authorization } = context.switchToHttp().getRequest<{ headers: { authorization?: string } }>().headers;
    const { deskPassword } = this.config;
    if (deskPassword === undefined)
      throw new Problem({ status: 404, code: 'not_found', detail: 'The desk is closed: DESK_PASSWORD is not set.' });
    if (deskPassword.equals(passwordIn(authorization))) return true;
    const headers = { 'www-authenticate': 'Basic realm="desk", charset="UTF-8"' };
    throw new Problem({ status: 401, code: 'unauthorized', detail: 'The desk asks for its password.', headers });
  }
}

function passwordIn(authorization = ''): string {
  const [, credentials = ''] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization) ?? [];
  const [, ...password] = Buffer.from(credentials, 'base64').toString('utf8').split(':');
  return password.join(':');
}

/** The shop's own page: what was sold, and its captures, refunds and voids. */
@Controller('desk')
@UseGuards(DeskGuard)
export class DeskController {
  constructor(
    private readonly desk: DeskService,
    private readonly visitors: Visitors,
  ) {}

  @Get()
  page(@Res() reply: Reply): void {
    reply.header('cache-control', 'no-cache').sendFile('desk.html');
  }

  @Get('orders')
  @Header('cache-control', 'no-store')
  orders(): Promise<DeskView[]> {
    return this.desk.find(readSearch(undefined));
  }

  /** A post, because addresses are written into logs, and what is searched is somebody's name. */
  @Post('orders')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  search(@Body() body: unknown): Promise<DeskView[]> {
    return this.desk.find(readSearch(body));
  }

  /** Answers when the command is durable; its result comes with a later look. Posts of other origins are refused. */
  @Post('orders/:orderId/operations')
  operate(@Param('orderId') orderId: string, @Body() body: unknown, @Req() request: PageRequest): Promise<DeskView> {
    this.visitors.admit(request);
    return this.desk.operate(orderId, body);
  }
}
