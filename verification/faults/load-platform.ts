import { ask } from '../ask.js';
import type { NotificationOfPlatform } from './traces.js';

const TIMEOUT_MS = 10_000;

/**
 * Actions of people at the platform: the cardholder at the form, the provider, the merchant's back office. They go to the simulator
 * directly, without proxy.
 */
export class PlatformDoors {
  constructor(
    private readonly simulatorUrl: string,
    private readonly identifier: string,
  ) {}

  async decide(redirectHtml: string, decision: 'validate' | 'pending' | 'refuse' | 'abandon'): Promise<void> {
    const page = Buffer.from(redirectHtml, 'base64').toString('utf8');
    const [, address] = /(?:action|href|url)\s*=\s*["']?(https?:\/\/[^"'\s>]+)/i.exec(page) ?? [];
    if (address === undefined) throw new Error('REDIRECTHTML leads nowhere');
    const answer = await fetch(address.replaceAll('&amp;', '&'), {
      method: 'POST',
      body: new URLSearchParams({ decision }),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.body?.cancel();
    if (answer.status >= 400) throw new Error(`the decision ${decision} was answered with ${answer.status}`);
  }

  async approve(transactionId: string): Promise<void> {
    await this.#request('POST', `/simulator/transactions/${transactionId}/decide`, { decision: 'approve' });
  }

  async refundInBackOffice(orderId: string, amount: number): Promise<void> {
    await this.#request('POST', '/simulator/refunds', { identifier: this.identifier, orderId, amount });
  }

  async cardToken(): Promise<string> {
    return ((await this.#request('POST', '/simulator/tokens', { identifier: this.identifier })) as { HFTOKEN: string })
      .HFTOKEN;
  }

  async notifications(): Promise<NotificationOfPlatform[]> {
    return (await this.#request('GET', '/simulator/notifications')) as NotificationOfPlatform[];
  }

  async #request(method: string, path: string, body?: object): Promise<unknown> {
    return ask(this.simulatorUrl + path, { method, ...(body && { body }) });
  }
}
