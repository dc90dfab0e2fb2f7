import { Injectable, type PipeTransform, All, Controller, Header, Headers, HttpCode, Ip } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import { validTraceHeaders, type ReceivedTrace } from '@tranche/runtime';
import { parametersOf } from './parameters-of-request.js';
import type { Parameters, Unreadable } from './received-parameters.js';
import { type ReceivedRequest, Received } from './received-request.js';
import { NotificationService } from './notification.service.js';

export class UnreadableNotification extends Problem {
  constructor(readonly reason: Unreadable) {
    super({
      status: 400,
      code: 'unreadable_notification',
      detail: `This cannot be a notification: ${reason.unreadable}.`,
    });
  }
}

/**
 * There is no class to map the parameters to, because the platform signs names and values exactly as they are here. A pair that is not
 * UTF-8 keeps its bytes beside its text, for HASH.
 */
@Injectable()
export class NotificationParametersPipe implements PipeTransform<ReceivedRequest, Parameters> {
  transform(received: ReceivedRequest): Parameters {
    // The answer to HEAD has no body, so it could not be `OK`.
    if (received.method === 'HEAD')
      throw new Problem({ status: 405, code: 'method_not_allowed', headers: { allow: 'GET, POST' } });
    const read = parametersOf(received);
    if ('unreadable' in read) throw new UnreadableNotification(read);
    return read;
  }
}

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
