import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { EXPORT_PATH, type LookUpReply } from '@tranche/platform';
import { ANSWER_HEADER_BYTES, injectTrace, readingLegalHeads } from '@tranche/service-kit';
import { Agent, buildConnector, request } from 'undici';
import { GatewayConfig } from '../gateway.config.js';

const ANSWER_BYTES = 1024 * 1024;

/** Requests the platform's list of an order's transactions. A request changes nothing there, so it may be repeated. */
@Injectable()
export class LookUpClient implements OnApplicationShutdown {
  readonly #targets: readonly string[];
  readonly #timeoutMs: number;
  readonly #agent = new Agent({ connect: readingLegalHeads(buildConnector({})), maxHeaderSize: ANSWER_HEADER_BYTES });

  constructor({ lookUpTimeoutMs, paymentUrls }: GatewayConfig) {
    // The timeout covers both URLs together.
    this.#timeoutMs = Math.floor(lookUpTimeoutMs / paymentUrls.length);
    this.#targets = paymentUrls.map((url) => `${new URL(url).href.replace(/\/$/, '')}${EXPORT_PATH}`);
  }

  get urlCount(): number {
    return this.#targets.length;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#agent.close();
  }

  /**
   * Never rejects.
   * @param url index into PAYMENT_URL, from 0
   */
  async ask(body: string, url: number, bearerToken?: string): Promise<LookUpReply> {
    const headers: Record<string, string> = {
      'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
      accept: 'application/json',
    };
    if (bearerToken !== undefined) headers['authorization'] = `Bearer ${bearerToken}`;
    injectTrace(headers);
    const target = this.#targets[url % this.#targets.length]!;
    try {
      const signal = AbortSignal.timeout(this.#timeoutMs);
      const { statusCode: status, body: answer } = await request(target, {
        method: 'POST',
        headers,
        body,
        signal,
        dispatcher: this.#agent,
      });
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        // Returning from the loop closes the connection.
        if (bytes > ANSWER_BYTES) return { kind: 'unanswered', message: `more than ${ANSWER_BYTES} bytes` };
        chunks.push(chunk);
      }
      return { kind: 'answered', status, body: Buffer.concat(chunks).toString('utf8') };
    } catch (error) {
      return { kind: 'unanswered', message: nameOf(error) };
    }
  }
}

const nameOf = (error: unknown): string => {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return String(typeof code === 'string' ? code : name).slice(0, 100);
};
