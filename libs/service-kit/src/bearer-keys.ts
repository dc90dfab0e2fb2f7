import { Problem } from './problem.js';
import type { Secret } from './secret.js';

/**
 * Returns the holder of the key in `Authorization: Bearer <key>`. Compares all keys in constant time, so that the duration reveals nothing.
 * @throws Problem 401 `unauthorized`, without the received key
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
