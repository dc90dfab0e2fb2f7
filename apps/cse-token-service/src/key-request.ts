import { Problem, type ProblemFault } from '@tranche/service-kit';

const API_KEY_ID_LENGTH = 36;

/**
 * The body is `{ apiKeyId }` and nothing else. Whatever else is in it may be card data that a page sent to the wrong address: neither
 * its values nor its names are repeated anywhere.
 */
export function readKeyRequest(body: unknown): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw refused([fault('', 'type', 'must be a JSON object')]);
  const { apiKeyId, ...others } = body as Record<string, unknown>;
  const faults: ProblemFault[] = [];
  if (Object.keys(others).length > 0) {
    faults.push(fault('', 'unknown_field', 'only apiKeyId is accepted here; card data must never be sent to this address'));
  }
  if (apiKeyId === undefined) faults.push(fault('apiKeyId', 'required', 'is required'));
  else if (typeof apiKeyId !== 'string') faults.push(fault('apiKeyId', 'type', 'must be a text'));
  else if (apiKeyId.length !== API_KEY_ID_LENGTH) faults.push(fault('apiKeyId', 'length', `must have ${API_KEY_ID_LENGTH} characters`));
  if (faults.length > 0) throw refused(faults);
  return apiKeyId as string;
}

function fault(path: string, code: string, message: string): ProblemFault {
  return { path, code, message };
}

function refused(faults: readonly ProblemFault[]): Problem {
  return new Problem({ status: 400, code: 'invalid_request', detail: 'The body is not as it must be, see faults.', faults });
}
