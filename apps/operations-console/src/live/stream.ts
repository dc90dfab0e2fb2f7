/** Follows `/v1/stream`. `EventSource` can send no token, so the events are read from a response. */
import { endSession } from '../session.js';

interface Changed {
  merchant: string;
  orderId: string;
}
export interface StreamState {
  /** `connecting` until the first news, `lost` once none came in time. */
  link: 'connecting' | 'live' | 'lost';
  /** Records of Kafka that operations has not read, for several seconds. */
  behind: number;
  isDatabaseThere: boolean;
  isGatewayThere: boolean;
  /** When the last news came. Milliseconds since the epoch. */
  heardAt?: number;
}

export const CONNECTING: StreamState = {
  link: 'connecting',
  behind: 0,
  isDatabaseThere: true,
  isGatewayThere: true,
};

/** Operations sends its state each second. */
const SILENCE_MS = 3_500;
const RETRY_MS = [300, 1_000, 2_000];
/** Operations reads what is written a moment later: only what stays behind is told. */
const BEHIND_FOR = 3;

interface StreamOptions {
  url: string;
  token: () => string | undefined;
  onChanged: (changed: Changed) => void;
  /** People proposed or decided something. */
  onDecided: () => void;
  onState: (state: StreamState) => void;
  /** News was missed, or the database or the gateway is there again: all that is shown may be old. */
  onStale: () => void;
}

/** Returns a function that ends it. */
export function followStream({ url, token, onChanged, onDecided, onState, onStale }: StreamOptions): () => void {
  const ended = new AbortController();
  let state: StreamState = CONNECTING;
  let behindFor = 0;
  const tell = (next: Partial<StreamState>) => {
    state = { ...state, ...next };
    onState(state);
  };

  const take = ({ event, data }: SentEvent) => {
    if (event === 'order') return onChanged(JSON.parse(data) as Changed);
    if (event === 'decision') return onDecided();
    if (event !== 'state') return;
    const { behind, isDatabaseThere, isGatewayThere } = JSON.parse(data) as Omit<StreamState, 'link'>;
    behindFor = behind > 0 ? behindFor + 1 : 0;
    const before = state;
    tell({
      ...{ link: 'live', behind: behindFor >= BEHIND_FOR ? behind : 0, heardAt: Date.now() },
      ...{ isDatabaseThere, isGatewayThere },
    });
    const isBack =
      before.link === 'lost' ||
      (isDatabaseThere && !before.isDatabaseThere) ||
      (isGatewayThere && !before.isGatewayThere);
    if (isBack) onStale();
  };

  const connect = async () => {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENCE_MS);
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
    };
    try {
      const response = await fetch(url, {
        headers: { authorization: `Bearer ${token() ?? ''}`, accept: 'text/event-stream' },
        signal: AbortSignal.any([ended.signal, silence.signal]),
      });
      if (response.status === 401) return endSession();
      if (!response.ok || response.body === null) return;
      const read = eventsFrom();
      for await (const text of textOf(response.body)) {
        heard();
        read(text).forEach(take);
      }
    } catch {
      // It is connected again, and the page says that it is not.
    } finally {
      clearTimeout(timer);
    }
  };

  const run = async () => {
    for (let failures = 0; !ended.signal.aborted; failures++) {
      const before = state.heardAt;
      await connect();
      if (state.heardAt !== before) failures = 0;
      if (ended.signal.aborted) return;
      tell({ link: 'lost' });
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]));
    }
  };
  void run();
  return () => ended.abort();
}

interface SentEvent {
  event: string;
  data: string;
}

/** Returns a function that takes the next piece of a stream and returns the events that are whole then. */
export function eventsFrom(): (piece: string) => SentEvent[] {
  let rest = '';
  return (piece) => {
    const blocks = (rest + piece).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line) ?? []);
      const event = fields.find(([, name]) => name === 'event')?.[2];
      const data = fields.filter(([, name]) => name === 'data').map(([, , value]) => value);
      return event === undefined || data.length === 0 ? [] : [{ event, data: data.join('\n') }];
    });
  };
}

async function* textOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    reader.releaseLock();
  }
}
