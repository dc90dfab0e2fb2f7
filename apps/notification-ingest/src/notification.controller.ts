import { All, Controller, Header, Headers, HttpCode, Ip } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import { validTraceHeaders, type ReceivedTrace } from '@tranche/runtime';
import { NotificationParametersPipe } from './notification-parameters.pipe.js';
import { NotificationService } from './notification.service.js';
import type { Parameters } from './received-parameters.js';
import { Received } from './received-request.js';

/** The platform's NOTIFICATION_URL. Only status 200 with the exact body `OK` acknowledges a notification, whichever method brings it. */
@Controller('notifications')
export class NotificationController {
  constructor(private readonly notifications: NotificationService) {}

  @All()
  @HttpCode(200)
  @Header('content-type', 'text/plain; charset=utf-8')
  async receive(
    @Received(NotificationParametersPipe) parameters: Parameters,
    @Ip() from: string,
    @Headers() headers: ReceivedTrace,
  ): Promise<'OK'> {
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
