import { Controller, Get, Header, HttpCode, Post, Req } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import { NotificationService } from './notification.service.js';
import { parametersOfForm, type Parameters, type Unreadable } from './received-parameters.js';

interface WebhookRequest {
  url: string;
  ip: string;
  body?: Parameters | Unreadable;
}

/** The platform's NOTIFICATION_URL. Only `200` with the body `OK`, exactly, tells it that we have the notification for good. */
@Controller('notifications')
export class NotificationController {
  constructor(private readonly notifications: NotificationService) {}

  @Get()
  @Header('content-type', 'text/plain; charset=utf-8')
  receiveByGet(@Req() request: WebhookRequest): Promise<'OK'> {
    return this.receive(parametersOfForm(queryOf(request.url)), request.ip);
  }

  @Post()
  @HttpCode(200)
  @Header('content-type', 'text/plain; charset=utf-8')
  receiveByPost(@Req() request: WebhookRequest): Promise<'OK'> {
    return this.receive(request.body ?? parametersOfForm(queryOf(request.url)), request.ip);
  }

  private async receive(received: Parameters | Unreadable, from: string): Promise<'OK'> {
    if ('unreadable' in received) {
      throw new Problem({ status: 400, code: 'unreadable_notification', detail: `This cannot be a notification: ${received.unreadable}.` });
    }
    const outcome = await this.notifications.receive(received, from);
    switch (outcome) {
      case 'accepted':
        return 'OK';
      case 'refused':
        throw new Problem({
          status: 403,
          code: 'hash_mismatch',
          detail: 'The HASH does not belong to these parameters. Nothing was taken.',
        });
      case 'unavailable':
        throw new Problem({
          status: 503,
          code: 'not_stored',
          detail: 'The notification could not be stored in time. Send it again.',
          headers: { 'retry-after': '5' },
        });
    }
  }
}

function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}
