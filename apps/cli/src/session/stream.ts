import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as delay } from 'node:timers/promises';
import { say } from '../output/output.js';
import type { Api } from './api.js';

interface StreamEvent {
  type: string;
  data: unknown;
}

const AGAIN_MS = 2_000;
/** The server shows every 15 seconds that the connection is alive. */
const SILENCE_MS = 45_000;

/** Follows the server-sent events until the signal, and connects again where the connection ends. @throws where the first connection fails */
export async function* follow(api: Api, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENCE_MS);
    try {
      const response = await api.open('GET', '/v1/stream', { signal: AbortSignal.any([signal, silence.signal]) });
      if (!isFirst) say('connected again');
      const input = Readable.fromWeb(response.body as ReadableStream);
      let type = 'message';
      for await (const line of createInterface({ input, crlfDelay: Infinity })) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE_MS);
        if (line.startsWith('event:')) type = line.slice(6).trim();
        if (line.startsWith('data:')) yield { type, data: JSON.parse(line.slice(5)) as unknown };
        if (line === '') type = 'message';
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isFirst && !silence.signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
    }
    say('the connection to operations ended; trying again');
    await delay(AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Aborts at Ctrl-C, which ends a command that runs until then without a failure. */
export function untilInterrupted(): AbortSignal {
  const over = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => over.abort());
  return over.signal;
}
