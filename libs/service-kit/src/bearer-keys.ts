import { Problem } from './problem.js';
import type { Secret } from './secret.js';

/**
 * Whose key came as `Authorization: Bearer <key>`. Every key is compared, in constant time, whichever fits.
 * @throws Problem 401 `unauthorized`; nothing of what came is repeated.
 */
export function holderOfKey<T extends { key: Secret }>(holders: readonly T[], authorization: string | undefined): T {
  const key = /^Bearer ([\x21-\x7e]{1,256})$/i.exec(authorization ?? '')?.[1] ?? '';
  const [holder] = holders.filter((candidate) => candidate.key.equals(key));
  if (holder !== undefined) return holder;
  throw new Problem({
    status: 401,
    code: 'unauthorized',
    detail: 'A known key is needed: Authorization: Bearer <key>.',
    headers: { 'www-authenticate': 'Bearer' },
  });
}
