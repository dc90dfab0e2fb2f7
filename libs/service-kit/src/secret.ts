import { createHash, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';

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
