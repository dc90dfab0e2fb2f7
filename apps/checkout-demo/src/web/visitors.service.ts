import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { validateCommandData } from '@tranche/contracts';
import { Metrics, Problem } from '@tranche/service-kit';
import { CheckoutConfig } from '../checkout.config.js';
import { OrderStore } from '../order/order.store.js';

export interface PageRequest {
  ip: string;
  headers: { origin?: string; 'sec-fetch-site'?: string; 'user-agent'?: string };
}

export interface Visitor {
  userAgent: string;
  ip: string;
}

@Injectable()
export class Visitors {
  private readonly turnedAway;

  constructor(
    private readonly config: CheckoutConfig,
    private readonly store: OrderStore,
    metrics: Metrics,
  ) {
    this.turnedAway = metrics.counter({
      name: 'checkout_requests_turned_away_total',
      help: 'Posts that were not looked at: from another origin (origin), too many from an address (rate)',
      labelNames: ['reason'],
    });
  }

  async admit({ ip, headers }: PageRequest): Promise<Visitor> {
    if (!isSameOrigin(headers, this.config.origin)) {
      this.turnedAway.inc({ reason: 'origin' });
      throw new Problem({ status: 403, code: 'origin_not_allowed', detail: 'Only pages of this shop may do this.' });
    }
    const address = createHash('sha256').update(ip).digest('hex').slice(0, 16);
    if ((await this.store.count(address, Math.floor(Date.now() / 60_000))) > this.config.attemptsPerMinute) {
      this.turnedAway.inc({ reason: 'rate' });
      throw new Problem({
        status: 429,
        code: 'too_many_requests',
        detail: 'Too many attempts. Wait a minute.',
        headers: { 'retry-after': '60' },
      });
    }
    return { ip: clientIpOf(ip, this.config.clientIp), userAgent: headers['user-agent'] ?? '' };
  }
}

/**
 * Every browser sends Origin with a POST, and a page cannot forge it. A request without Origin is not from a browser and is refused too.
 */
export function isSameOrigin(headers: PageRequest['headers'], own: string): boolean {
  const site = headers['sec-fetch-site'];
  return headers.origin === own && (site === undefined || site === 'same-origin');
}

/** CLIENTIP must be a public IPv4 address, by the contracts' own check. `standIn` replaces any other (this machine, a private network, IPv6). */
export function clientIpOf(address: string, standIn: string): string {
  const ip = address.replace(/^::ffff:/i, '');
  const { faults } = validateCommandData('card', 'payment.pay', { client: { ip } });
  return faults.some(({ path }) => path === 'client.ip') ? standIn : ip;
}
