import { hash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import type { Caller } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';

/** Compares all keys of `Authorization: Bearer <service key>` in constant time. Each key is hashed once, not per request. */
@Injectable()
export class CallerKeys {
  readonly #digests: readonly { caller: Caller; digest: Buffer }[];

  constructor(@Inject(AuthConfig) { accounts }: Pick<AuthConfig, 'accounts'>) {
    this.#digests = accounts.callers.map((caller) => ({ caller, digest: digestOf(caller.key.reveal()) }));
  }

  /** @throws Problem 401 `unauthorized` */
  callerOf(authorization: string | undefined): Caller {
    const candidate = digestOf(/^Bearer ([\x21-\x7e]{1,256})$/i.exec(authorization ?? '')?.[1] ?? '');
    let found: Caller | undefined;
    for (const { caller, digest } of this.#digests) if (timingSafeEqual(digest, candidate)) found = caller;
    if (found !== undefined) return found;
    throw new Problem({
      status: 401,
      code: 'unauthorized',
      detail: 'A known service key is needed: Authorization: Bearer <key>.',
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
}

function digestOf(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}
