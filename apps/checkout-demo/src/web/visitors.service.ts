import { Injectable } from '@nestjs/common';
import { validateCommandData } from '@tranche/contracts';
import { WindowCounter } from '@tranche/runtime';
import { countedAs, Metrics, Problem } from '@tranche/service-kit';
import { CheckoutConfig } from '../checkout.config.js';

export interface PageRequest {
  ip: string;
  headers: { origin?: string; 'sec-fetch-site'?: string; 'user-agent'?: string };
}

export interface Visitor {
  userAgent: string;
  ip: string;
}

const MAX_ADDRESSES = 100_000;

@Injectable()
export class Visitors {
  readonly #turnedAway;
  readonly #attempts: WindowCounter;

  constructor(
    private readonly config: CheckoutConfig,
    metrics: Metrics,
  ) {
    this.#attempts = new WindowCounter(config.attemptsPerMinute, 60_000, MAX_ADDRESSES);
    this.#turnedAway = metrics.counter({
      name: 'checkout_requests_turned_away_total',
      help: 'Posts that were not looked at: from another origin (origin), too many from an address (rate)',
      labelNames: ['reason'],
    });
  }

  admit({ ip, headers }: PageRequest): Visitor {
    if (!isSameOrigin(headers, this.config.origin)) {
      this.#turnedAway.inc({ reason: 'origin' });
      throw new Problem({ status: 403, code: 'origin_not_allowed', detail: 'Only pages of this shop may do this.' });
    }
    if (this.#attempts.take(countedAs(ip), Date.now()) !== undefined) {
      this.#turnedAway.inc({ reason: 'rate' });
      throw new Problem({
        status: 429,
        code: 'too_many_requests',
        detail: 'Too many attempts. Wait a minute.',
        headers: { 'retry-after': '60' },
      });
    }
    return { ip: clientIpOf(ip), userAgent: headers['user-agent'] ?? '' };
  }
}

/**
 * Every browser sends Origin with a POST, and a page cannot forge it. A request without Origin is not from a browser and is refused too.
 */
export function isSameOrigin(headers: PageRequest['headers'], own: string): boolean {
  const site = headers['sec-fetch-site'];
  return headers.origin === own && (site === undefined || site === 'same-origin');
}

/** Replaces what is no public IPv4 address: this machine, a private network, IPv6, a proxy there. */
const STAND_IN = '203.0.113.10';

/** CLIENTIP must be a public IPv4 address, by the contracts' own check. */
export function clientIpOf(address: string): string {
  const ip = address.replace(/^::ffff:/i, '');
  const { faults } = validateCommandData('card', 'payment.pay', { client: { ip } });
  return faults.some(({ path }) => path === 'client.ip') ? STAND_IN : ip;
}
