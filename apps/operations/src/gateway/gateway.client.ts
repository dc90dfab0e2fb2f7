import { Injectable } from '@nestjs/common';
import { Problem, ServiceLogger } from '@tranche/service-kit';
import { OperationsConfig } from '../operations.config.js';

/** The gateway itself answers within its 10 s for the journal and some more. */
const TIMEOUT_MS = 20_000;
const LOOK_TIMEOUT_MS = 2_000;
/** The log shows so many characters of an answer that can't be used. */
const SHOWN = 500;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

export interface PassedOn {
  method: string;
  /** Path and query, as they came. */
  url: string;
  headers: { authorization?: string };
  body?: unknown;
}

export interface GatewayAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const KEPT_HEADERS = ['content-type', 'www-authenticate', 'retry-after'];

/** Asks a payment-gateway, always with the credentials of the person. */
@Injectable()
export class GatewayClient {
  constructor(
    private readonly config: OperationsConfig,
    private readonly log: ServiceLogger,
  ) {}

  /** @throws Problem 503 where no gateway answers */
  async pass({ method, url, headers: { authorization }, body }: PassedOn): Promise<GatewayAnswer> {
    const isChange = method !== 'GET';
    const address = new URL(url, this.config.gatewayUrl);
    // A path like `//other` must not lead elsewhere.
    if (address.origin !== this.config.gatewayUrl.origin) throw this.#unavailable(isChange);
    try {
      const answer = await fetch(address, {
        method,
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          accept: 'application/json',
          ...(authorization !== undefined && { authorization }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const bytes = await answer.arrayBuffer();
      if (bytes.byteLength > MAX_ANSWER_BYTES) throw new Error('the answer is too large');
      const headers = KEPT_HEADERS.flatMap((name) => {
        const value = answer.headers.get(name);
        return value === null ? [] : [[name, value]];
      });
      return {
        status: answer.status,
        headers: Object.fromEntries(headers) as Record<string, string>,
        body: Buffer.from(bytes).toString(),
      };
    } catch (error) {
      this.log.warn({ err: error, method, path: address.pathname }, 'The gateway did not answer');
      throw this.#unavailable(isChange, error);
    }
  }

  /** Says if a gateway answers at all. */
  async isThere(): Promise<boolean> {
    const signal = AbortSignal.timeout(LOOK_TIMEOUT_MS);
    try {
      const answer = await fetch(new URL('/health/live', this.config.gatewayUrl), { signal });
      await answer.arrayBuffer();
      return true;
    } catch {
      return false;
    }
  }

  /** The answer's body; undefined where the gateway gave none with 200. */
  async read<T>(url: string, authorization: string | undefined): Promise<T | undefined> {
    const headers = authorization === undefined ? {} : { authorization };
    const { status, body } = await this.pass({ method: 'GET', url, headers });
    if (status === 200) return JSON.parse(body) as T;
    this.log.info({ url, status, answer: body.slice(0, SHOWN) }, 'The gateway gave no answer to use');
    return undefined;
  }

  #unavailable(isChange: boolean, cause?: unknown): Problem {
    const detail = isChange
      ? 'The gateway did not answer. Whether it took this is not known: look before you say it again.'
      : 'The gateway did not answer. Try again later.';
    return new Problem({ status: 503, code: 'gateway_unavailable', detail, cause });
  }
}
