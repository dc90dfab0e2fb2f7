import type { RedisLink } from './redis-link.js';

/** A link that lacks a server for so long is made anew: the servers may be others than it knows. */
const INCOMPLETE_MS = 10_000;

/** A connection may be open and dead: a machine that froze, a network that swallows packets. The caller clears the timer. */
export function watchLink(link: RedisLink, silenceMs: number, onSilence: (reason: Error) => void): NodeJS.Timeout {
  const askedAtMs = new Map<string, number>();
  let readyAtMs = performance.now();
  const faultOf = (nowMs: number): string | undefined => {
    if (link.isReady) readyAtMs = nowMs;
    else if (nowMs - readyAtMs >= Math.max(INCOMPLETE_MS, silenceMs)) return `a server is away for ${INCOMPLETE_MS} ms`;
    for (const { address, send } of link.servers) {
      const askedMs = askedAtMs.get(address);
      if (askedMs === undefined) {
        askedAtMs.set(address, nowMs);
        const answered = () => void askedAtMs.delete(address);
        send(['PING']).then(answered, answered);
      } else if (nowMs - askedMs >= silenceMs) return `no answer for ${silenceMs} ms`;
    }
    return undefined;
  };
  const look = () => {
    const fault = faultOf(performance.now());
    if (fault !== undefined) onSilence(new Error(fault));
  };
  return setInterval(look, silenceMs / 4).unref();
}
