import { createHash, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';
import { Problem } from './problem.js';

export const REDACTED = '[redacted]';

/** A text that is never printed: logs, JSON, templates and inspection show `[redacted]`. */
export class Secret {
  readonly #text: string;
  #digest?: Buffer;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  /** Constant time for any lengths. */
  equals(candidate: string): boolean {
    return timingSafeEqual((this.#digest ??= digest(this.#text)), digest(candidate));
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

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
