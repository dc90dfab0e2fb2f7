import { Injectable, type PipeTransform } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import { parametersOf } from './parameters-of-request.js';
import type { Parameters, Unreadable } from './received-parameters.js';
import type { ReceivedRequest } from './received-request.js';

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
