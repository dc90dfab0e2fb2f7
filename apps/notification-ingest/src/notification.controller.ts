import { Controller, Get, Head, Header, Headers, HttpCode, Ip, Post } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import { validTraceHeaders, type ReceivedTrace } from '@tranche/runtime';
import { NotificationParametersPipe } from './notification-parameters.pipe.js';
import { NotificationService } from './notification.service.js';
import type { Parameters } from './received-parameters.js';
import { Received } from './received-request.js';

/** The platform's NOTIFICATION_URL. Only status 200 with the exact body `OK` acknowledges a notification. */
@Controller('notifications')
export class NotificationController {
  constructor(private readonly notifications: NotificationService) {}

  /**
   * A HEAD answer has no body, so it could not carry `OK`. Declared before GET: Fastify would otherwise answer HEAD with the GET handler.
   */
  @Head()
  refuseHead(): never {
    throw new Problem({ status: 405, code: 'method_not_allowed', headers: { allow: 'GET, POST' } });
  }

  @Get()
  @Header('content-type', 'text/plain; charset=utf-8')
  receiveByGet(
    @Received(NotificationParametersPipe) parameters: Parameters,
    @Ip() from: string,
    @Headers() headers: ReceivedTrace,
  ): Promise<'OK'> {
    return this.receive(parameters, from, headers);
  }

  @Post()
  @HttpCode(200)
  @Header('content-type', 'text/plain; charset=utf-8')
  receiveByPost(
    @Received(NotificationParametersPipe) parameters: Parameters,
    @Ip() from: string,
    @Headers() headers: ReceivedTrace,
  ): Promise<'OK'> {
    return this.receive(parameters, from, headers);
  }

  private async receive(parameters: Parameters, from: string, headers: ReceivedTrace): Promise<'OK'> {
    const outcome = await this.notifications.receive(parameters, {
      from,
      startedAtMs: performance.now(),
      trace: validTraceHeaders(headers),
    });
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
