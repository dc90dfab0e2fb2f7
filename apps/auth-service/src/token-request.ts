import { Problem, type ProblemFault } from '@tranche/service-kit';

/** Body of POST /v1/tokens. */
export interface TokenRequest {
  account: string;
  /** Fingerprint of a token that was refused. */
  refused?: string;
}

const FIELDS = ['account', 'refused'];

/** @throws Problem 400 `invalid_request` with every fault; values are never repeated. */
export function readTokenRequest(body: unknown): TokenRequest {
  const faults = faultsOf(body);
  if (faults.length === 0) return body as TokenRequest;
  throw new Problem({
    status: 400,
    code: 'invalid_request',
    detail: 'Some fields are not as they must be, see faults.',
    faults,
  });
}

function faultsOf(body: unknown): ProblemFault[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return [{ path: '', code: 'type', message: 'must be a JSON object' }];
  }
  const { account, refused } = body as Record<string, unknown>;
  const faults: ProblemFault[] = [];
  if (account === undefined) faults.push({ path: 'account', code: 'required', message: 'is missing' });
  else if (typeof account !== 'string') faults.push({ path: 'account', code: 'type', message: 'must be a text' });
  else if (account.length < 1 || account.length > 64)
    faults.push({ path: 'account', code: 'length', message: 'must have 1 to 64 characters' });
  if (refused !== undefined && typeof refused !== 'string') faults.push({ path: 'refused', code: 'type', message: 'must be a text' });
  else if (refused !== undefined && !/^[\w-]{1,64}$/.test(refused))
    faults.push({ path: 'refused', code: 'format', message: 'must be a fingerprint' });
  for (const field of Object.keys(body)) {
    if (!FIELDS.includes(field)) faults.push({ path: field, code: 'unknown_field', message: 'is not a field of this request' });
  }
  return faults;
}
