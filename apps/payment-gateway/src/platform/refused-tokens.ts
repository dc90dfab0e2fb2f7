import { keepNewest } from '@tranche/runtime';

/** More are never in use at the same time, however late an answer comes. */
const KEPT_MAX = 8;

interface Known {
  /** Fingerprint of the token that was handed out last. */
  given?: string;
  /** Fingerprints of those that the platform refused, the latest at the end. */
  readonly refused: Set<string>;
}

/** What the platform said of each account's bearer tokens. Answers come late: that an older token is refused says nothing of the one in use. */
export class RefusedTokens {
  readonly #accounts = new Map<string, Known>();

  /** auth-service gave this one. */
  noteGiven(account: string, fingerprint: string): void {
    this.#of(account).given = fingerprint;
  }

  noteRefused(account: string, fingerprint: string): void {
    const { refused } = this.#of(account);
    refused.delete(fingerprint);
    refused.add(fingerprint);
    keepNewest(refused, KEPT_MAX);
  }

  /** What auth-service is to be told with the next question: with each report it has to look again, so only where the one in use is refused. */
  toReport(account: string): string | undefined {
    const { given, refused } = this.#of(account);
    if (given === undefined) return [...refused].at(-1);
    return refused.has(given) ? given : undefined;
  }

  #of(account: string): Known {
    let known = this.#accounts.get(account);
    if (!known) this.#accounts.set(account, (known = { refused: new Set() }));
    return known;
  }
}
