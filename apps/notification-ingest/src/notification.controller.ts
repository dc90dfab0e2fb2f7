import { Controller, Get, Header, HttpCode, Post, Req } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import { NotificationService } from './notification.service.js';
import { requestTrace } from './request-trace.js';
import { parametersOfForm, type Parameters, type Unreadable } from './received-parameters.js';

export interface WebhookRequest {
  method: string;
  url: string;
  ip: string;
  headers: { 'content-length'?: string; 'transfer-encoding'?: string; traceparent?: string; tracestate?: string };
  body?: Parameters | Unreadable;
  /** What became of it is counted and logged. */
  isTold?: boolean;
}

/** The platform's NOTIFICATION_URL. Only `200` with the body `OK`, exactly, tells it that we have the notification for good. */
@Controller('notifications')
export class NotificationController {
  constructor(private readonly notifications: NotificationService) {}

  @Get()
  @Header('content-type', 'text/plain; charset=utf-8')
  receiveByGet(@Req() request: WebhookRequest): Promise<'OK'> {
    // Whoever asks with HEAD could not read the OK.
    if (request.method === 'HEAD') throw new Problem({ status: 405, code: 'method_not_allowed', headers: { allow: 'GET, POST' } });
    return this.receive(parametersOfQuery(request), request);
  }

  @Post()
  @HttpCode(200)
  @Header('content-type', 'text/plain; charset=utf-8')
  receiveByPost(@Req() request: WebhookRequest): Promise<'OK'> {
    const { body } = request;
    if (body === undefined) return this.receive(parametersOfQuery(request), request);
    const isAmbiguous = queryOf(request).length > 0;
    return this.receive(isAmbiguous ? { unreadable: 'there is a query and a body' } : body, request);
  }

  private async receive(received: Parameters | Unreadable, request: WebhookRequest): Promise<'OK'> {
    const { ip: from, headers } = request;
    request.isTold = true;
    const startedAtMs = performance.now();
    if ('unreadable' in received) {
      this.notifications.refuseUnreadable(received, from);
      throw new Problem({ status: 400, code: 'unreadable_notification', detail: `This cannot be a notification: ${received.unreadable}.` });
    }
    const outcome = await this.notifications.receive(received, { from, startedAtMs, trace: requestTrace(headers) });
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

/** A GET has no body: what comes as one would be parameters that nobody looks at. */
export function parametersOfQuery(request: WebhookRequest): Parameters | Unreadable {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (encoding !== undefined || length !== '0') return { unreadable: 'there is a query and a body' };
  return parametersOfForm(queryOf(request));
}

/** As it came: Node.js hands the bytes on one by one. */
function queryOf({ url }: WebhookRequest): Buffer {
  const start = url.indexOf('?');
  return Buffer.from(start < 0 ? '' : url.slice(start + 1), 'latin1');
}
