import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Contestant } from '../duel.js';
import { ACCOUNT, headers, path } from './contestants.js';

const REPEAT_MS = 50;
const DEADLINE_MS = 60_000;

/** Many callers ask at once, spread over all replicas; a caller whose replica is gone asks the next one. */
export class Crowd {
  readonly #pools: Pool[];

  constructor(replicas: readonly Contestant[], connections: number) {
    this.#pools = replicas.map(
      ({ url }) => new Pool(new URL(url).origin, { connections: Math.ceil(connections / replicas.length) }),
    );
  }

  /** Resolves to the fingerprints of the tokens when every caller has one. */
  async ask(callers: number, refused?: string): Promise<string[]> {
    const deadlineMs = performance.now() + DEADLINE_MS;
    return Promise.all(
      Array.from({ length: callers }, (_, caller) => this.#untilAnswered(caller, refused, deadlineMs)),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
  }

  async #untilAnswered(caller: number, refused: string | undefined, deadlineMs: number): Promise<string> {
    for (let replica = caller; performance.now() < deadlineMs; replica++) {
      const pool = this.#pools[replica % this.#pools.length];
      const fingerprint = pool && (await askOnce(pool, refused).catch(() => undefined));
      if (fingerprint !== undefined) return fingerprint;
      await delay(REPEAT_MS);
    }
    throw new Error(`caller ${caller} has no token after ${DEADLINE_MS} ms`);
  }
}

async function askOnce(pool: Pool, refused?: string): Promise<string | undefined> {
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path,
    headers,
    body: JSON.stringify({ account: ACCOUNT, refused }),
    headersTimeout: 30_000,
  });
  const answer = (await body.json()) as { fingerprint?: string };
  return statusCode === 200 ? answer.fingerprint : undefined;
}
