import { Injectable, type PipeTransform } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import { parametersOfMultipart } from './multipart-parameters.js';
import { parametersOfForm, parametersOfJson, type Parameters, type Unreadable } from './received-parameters.js';
import { charsetOf } from './sent-text.js';
import { parametersOfQuery, queryAndBody, type ReceivedRequest } from './received-request.js';

/** The platform sets no limit for MESSAGE, so this one is ours (docs/decisions/0045). */
export const MAX_BODY_BYTES = 1_048_576;
export const BODY_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];

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
 * Returns the flat list of parameters from any accepted encoding. There is no class to map them to, because the platform signs names and
 * values exactly as they are here. A pair that is not UTF-8 keeps its bytes beside its text, for HASH.
 */
@Injectable()
export class NotificationParametersPipe implements PipeTransform<ReceivedRequest, Parameters> {
  transform(received: ReceivedRequest): Parameters {
    const read = parametersOf(received);
    if ('unreadable' in read) throw new UnreadableNotification(read);
    return read;
  }
}

export function parametersOf(received: ReceivedRequest): Parameters | Unreadable {
  const { body, query, contentType, contentEncoding } = received;
  if (body === undefined) return parametersOfQuery(received);
  if (contentEncoding.toLowerCase() !== 'identity') throw encoded();
  // A chunked request may announce a body and then send none: its query counts.
  if (body.length === 0) return parametersOfForm(query, charsetOf(contentType));
  if (query.length > 0) return queryAndBody();
  if (isOfType(contentType, 'application/json')) return parametersOfJson(body);
  if (isOfType(contentType, 'multipart/form-data')) return parametersOfMultipart(contentType, body);
  return parametersOfForm(body, charsetOf(contentType));
}

function isOfType(contentType: string, type: string): boolean {
  return contentType.split(';', 1)[0]!.trim().toLowerCase() === type;
}

function encoded(): Problem {
  return new Problem({ status: 415, code: 'unsupported_media_type', detail: 'The body must not be compressed.' });
}
