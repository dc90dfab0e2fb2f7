import { validateSync } from 'class-validator';
import { faultsOf, Problem, type ProblemFault } from '@tranche/service-kit';
import { cardDataRefused, holdsCards, idHoldsCard, textHoldsCards } from '../card-data/card-data.js';
import { KeyRequest } from './key-request.dto.js';

const FIRST_FAULT_OF_EACH = { stopAtFirstError: true, validationError: { target: false, value: false } };

/**
 * The body must be exactly `{ apiKeyId, refused? }`. Other content may be card data that a page sent to the wrong address, so neither its
 * values nor its names are repeated anywhere.
 * @param isKnown true for our own ids, which are never taken for card data
 */
export function readKeyRequest(text: string, isKnown: (id: string) => boolean): KeyRequest {
  const body = jsonOf(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    if (holdsCards(body)) throw cardDataRefused();
    throw refusedBody([fault('', 'type', 'must be a JSON object')]);
  }
  const { apiKeyId, refused, ...others } = body as Record<string, unknown>;
  const isOnlyThis = Object.keys(others).length === 0;
  if (!isOnlyThis && holdsCards(others)) throw cardDataRefused();
  if (isStrange(apiKeyId, isKnown) && holdsCards(apiKeyId)) throw cardDataRefused();
  if (isStrange(refused, isKnown) && idHoldsCard(refused)) throw cardDataRefused();
  // Parsing drops the first of two equal names, so a text that differs from the parsed body is searched itself.
  if (JSON.stringify(body) !== text && textHoldsCards(without(text, [apiKeyId, refused]))) throw cardDataRefused();
  const request = Object.assign(new KeyRequest(), { apiKeyId, refused }) as KeyRequest;
  const faults = isOnlyThis ? [] : [fault('', 'unknown_field', 'only apiKeyId and refused are accepted here')];
  faults.push(...faultsOf(validateSync(request, FIRST_FAULT_OF_EACH)));
  if (faults.length > 0) throw refusedBody(faults);
  return request;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (textHoldsCards(text)) throw cardDataRefused();
    throw new Problem({ status: 400, code: 'malformed_request', detail: 'The body must be valid JSON.' });
  }
}

function isStrange(id: unknown, isKnown: (id: string) => boolean): boolean {
  return id !== undefined && !(typeof id === 'string' && isKnown(id));
}

function without(text: string, ids: unknown[]): string {
  return ids.reduce<string>((rest, id) => (typeof id === 'string' && id !== '' ? rest.replaceAll(id, '') : rest), text);
}

function fault(path: string, code: string, message: string): ProblemFault {
  return { path, code, message };
}

function refusedBody(faults: readonly ProblemFault[]): Problem {
  return new Problem({
    status: 400,
    code: 'invalid_request',
    detail: 'The body is not as it must be, see faults.',
    faults,
  });
}
