import { keepNewest } from '@tranche/runtime';

/** More tokens of one account are never in use together, however late an answer arrives. */
const KEPT_MAX = 8;

interface Known {
  /** Fingerprint of the token that was handed out last. */
  given?: string;
  /** Fingerprints of tokens that the platform refused, the latest last. */
  readonly refused: Set<string>;
}

/** Bearer tokens that the platform refused, per account. Answers may arrive late: an older token's refusal says nothing about the one in use. */
export class RefusedTokens {
  readonly #accounts = new Map<string, Known>();

  /** Notes the token that auth-service returned. */
  noteGiven(account: string, fingerprint: string): void {
    this.#of(account).given = fingerprint;
  }

  noteRefused(account: string, fingerprint: string): void {
    const { refused } = this.#of(account);
    refused.delete(fingerprint);
    refused.add(fingerprint);
    keepNewest(refused, KEPT_MAX);
  }

  /** Fingerprint for the next request to auth-service. A report makes it fetch a new token, so only the token in use is reported. */
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
