import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.service.js';
import type { IssuedTokens } from '../control/ledger.store.js';
import type { Card } from './card.js';

/** Interface, Limits: single use, 15 minutes. */
const CARD_TOKEN_LIFETIME_MS = 15 * 60 * 1000;
const MAX_TOKENS = 100_000;

/** HFTOKENs with their cards, in memory until the token is used or expires. */
export class CardTokens {
  readonly #tokens = new Map<string, { card: Card; identifier: string; expiresAtMs: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly issued: IssuedTokens,
  ) {}

  issue(identifier: string, card: Card): string {
    const token = randomUUID();
    this.#forgetOldest();
    this.#tokens.set(token, { card, identifier, expiresAtMs: this.clock.nowMs() + CARD_TOKEN_LIFETIME_MS });
    this.issued.note('cardTokens', token);
    return token;
  }

  peek(identifier: string, token: string): Card | undefined {
    const known = this.#tokens.get(token);
    return known?.identifier === identifier && known.expiresAtMs > this.clock.nowMs() ? known.card : undefined;
  }

  use(token: string): void {
    this.#tokens.delete(token);
  }

  clear(): void {
    this.#tokens.clear();
  }

  #forgetOldest(): void {
    const nowMs = this.clock.nowMs();
    for (const [token, { expiresAtMs }] of this.#tokens) {
      if (expiresAtMs > nowMs && this.#tokens.size < MAX_TOKENS) return;
      this.#tokens.delete(token);
    }
  }
}
