import type { Parameter, Parameters } from '@tranche/platform';
import { contentHash } from '../content-hash.js';
import { parametersOf } from '../parameters-of-request.js';
import { knownCharset, parameterOf } from '../sent-text.js';
import { requestIn } from './request-record.js';

export interface Quarantined {
  /** Content hash. */
  id: string;
  reason: string;
  /** Set for a request that could not be read, or came to another path: the fault. */
  why?: string;
  merchant?: string;
  /** Address of the sender. */
  from: string;
  /** RFC 3339. */
  receivedAt: string;
  /** Card data or all values were removed, so no HASH can fit. */
  isAltered: boolean;
  /** A request is read anew; empty if it still cannot be read. */
  parameters: Parameters;
}

/** Returns undefined if `quarantineRecord` did not write this record. */
export function quarantinedOf(id: string | null, value: Buffer | null): Quarantined | undefined {
  let read: unknown;
  try {
    read = JSON.parse(value?.toString('utf8') ?? '');
  } catch {
    return undefined;
  }
  if (id === null || typeof read !== 'object' || read === null) return undefined;
  const {
    reason,
    why,
    merchant,
    from,
    receivedAt,
    altered,
    request,
    parameters: pairs,
  } = read as Record<string, unknown>;
  const parameters = request === undefined ? parametersIn(pairs) : parametersInRequest(request);
  if (
    typeof reason !== 'string' ||
    typeof from !== 'string' ||
    typeof receivedAt !== 'string' ||
    parameters === undefined
  )
    return undefined;
  return {
    id: request === undefined || parameters.length === 0 ? id : contentHash(parameters),
    reason,
    from,
    receivedAt,
    isAltered: altered === true,
    parameters,
    ...(typeof why === 'string' ? { why } : {}),
    ...(typeof merchant === 'string' ? { merchant } : {}),
  };
}

function parametersIn(pairs: unknown): Parameters | undefined {
  const parameters = Array.isArray(pairs) ? pairs.map(parameterIn) : [undefined];
  return parameters.every((pair) => pair !== undefined) ? parameters : undefined;
}

function parametersInRequest(written: unknown): Parameters | undefined {
  const request = requestIn(written);
  const read = request && parametersOf(request);
  return read !== undefined && 'unreadable' in read ? [] : read;
}

/** A pair with bytes is decoded from them again, so that the published text matches the bytes that HASH covers. */
function parameterIn(pair: unknown): Parameter | undefined {
  if (!Array.isArray(pair)) return undefined;
  const [name, value, sent] = pair as unknown[];
  if (typeof name !== 'string' || typeof value !== 'string' || pair.length > 3) return undefined;
  if (sent === undefined) return [name, value];
  const { name: nameBytes, value: valueBytes, charset } = Object(sent) as Record<string, unknown>;
  if (!isBytes(nameBytes) || !isBytes(valueBytes)) return undefined;
  return parameterOf(nameBytes, valueBytes, typeof charset === 'string' ? knownCharset(charset) : undefined);
}

function isBytes(text: unknown): text is string {
  return typeof text === 'string' && /^[\0-\xff]*$/.test(text);
}
