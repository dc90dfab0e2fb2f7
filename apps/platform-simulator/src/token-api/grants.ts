import { createHash, timingSafeEqual } from 'node:crypto';
import type { Account } from './accounts.js';

export interface OAuthError {
  readonly status: number;
  readonly error: string;
  readonly description: string;
}

/** Authenticates a token request. A missing `grant_type` means `password` (interface, Token authentication). */
export function readGrant(body: unknown, accounts: readonly Account[]): Account | OAuthError {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return invalidRequest('The body must be a JSON object.');
  const fields = new Map<string, unknown>(Object.entries(body));
  const named = ['grant_type', 'client_id', 'client_secret', 'username', 'password', 'scope'];
  const notText = named.find((name) => fields.has(name) && typeof fields.get(name) !== 'string');
  if (notText !== undefined) return invalidRequest(`${notText} must be a text.`);
  const given = (name: string) => (fields.get(name) as string | undefined) ?? '';
  const grant = fields.has('grant_type') ? given('grant_type') : 'password';

  if (grant !== 'password' && grant !== 'client_credentials') {
    return {
      status: 400,
      error: 'unsupported_grant_type',
      description: 'grant_type must be password or client_credentials.',
    };
  }
  const [who, secret] = grant === 'password' ? ['username', 'password'] : ['client_id', 'client_secret'];
  const missing = [who, secret].filter((name): name is string => name !== undefined && given(name) === '');
  if (missing.length > 0) return invalidRequest(`${missing.join(' and ')} missing.`);

  const account = accounts.find(
    (one) =>
      one.grant === grant &&
      (grant === 'password' ? one.username === given('username') : one.clientId === given('client_id')) &&
      isEqual((grant === 'password' ? one.password : one.clientSecret) ?? '', given(secret ?? '')),
  );
  if (account === undefined) {
    return grant === 'password'
      ? { status: 401, error: 'invalid_grant', description: 'Invalid user credentials.' }
      : { status: 401, error: 'invalid_client', description: 'Invalid client or invalid client credentials.' };
  }
  const scope = given('scope');
  if (scope !== '' && scope !== account.realm)
    return { status: 400, error: 'invalid_scope', description: 'Not the realm of this account.' };
  return account;
}

const invalidRequest = (description: string): OAuthError => ({ status: 400, error: 'invalid_request', description });

const isEqual = (a: string, b: string) => timingSafeEqual(digest(a), digest(b));
const digest = (text: string) => createHash('sha256').update(text).digest();
