import { Agent, FormData, request } from 'undici';
import { withQuery, type NamedValues } from './notification-parameters.js';

export type Encoding = 'get' | 'post' | 'multipart';

export const MOST_AT_ONCE = 64;
const MAX_ANSWER_BYTES = 64 * 1024;

export interface Attempt {
  readonly time: string;
  readonly encoding: Encoding;
  readonly status?: number;
  readonly answer?: string;
  readonly error?: string;
  readonly isAccepted: boolean;
}

/** One HTTP call to NOTIFICATION_URL. Only status 200 with the exact body `OK` acknowledges it. */
export class Notifier {
  readonly #agent = new Agent({ connections: MOST_AT_ONCE });
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(private readonly attemptTimeoutMs = 10_000) {}

  /** An attempt has its time from its turn on: if it ran while others are sent, a backlog would never end once it is longer than that. */
  async deliver(
    address: string,
    encoding: Encoding,
    parameters: NamedValues,
    signal: AbortSignal,
  ): Promise<Omit<Attempt, 'time'>> {
    if (this.#underWay < MOST_AT_ONCE) this.#underWay++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await this.#send(address, encoding, parameters, signal);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#underWay--;
      else next();
    }
  }

  async #send(
    address: string,
    encoding: Encoding,
    parameters: NamedValues,
    signal: AbortSignal,
  ): Promise<Omit<Attempt, 'time'>> {
    const over = new AbortController();
    const timer = setTimeout(
      () => over.abort(new DOMException('No answer came in time', 'TimeoutError')),
      this.attemptTimeoutMs,
    );
    try {
      const { statusCode, body } = await request(encoding === 'get' ? withQuery(address, parameters) : address, {
        ...messageOf(encoding, parameters),
        dispatcher: this.#agent,
        signal: AbortSignal.any([signal, over.signal]),
      });
      let answer = '';
      for await (const chunk of body) {
        answer += String(chunk);
        if (answer.length > MAX_ANSWER_BYTES) break;
      }
      return {
        encoding,
        status: statusCode,
        answer: answer.slice(0, 200),
        isAccepted: statusCode === 200 && answer === 'OK',
      };
    } catch (cause) {
      return {
        encoding,
        error: cause instanceof Error ? `${cause.name}: ${cause.message}` : 'failed',
        isAccepted: false,
      };
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function messageOf(encoding: Encoding, parameters: NamedValues) {
  switch (encoding) {
    case 'get':
      return { method: 'GET' as const };
    case 'post':
      return {
        method: 'POST' as const,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(parameters).toString(),
      };
    case 'multipart': {
      const body = new FormData();
      for (const [name, value] of parameters) body.append(name, value);
      return { method: 'POST' as const, body };
    }
  }
}
