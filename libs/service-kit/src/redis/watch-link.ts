import { type RedisLink, assertMaster } from './redis-link.js';

/** A link that lacks a server for this long is replaced, because the set of servers may have changed. */
const INCOMPLETE_MS = 10_000;
/** Upper bound for the interval, so that a server that became a replica is noticed even with patient callers. */
const ASK_AT_LEAST_EVERY_MS = 2_000;

interface WatchOptions {
  silenceMs: number;
  onOver: (reason: Error) => void;
  /** Called if this user may not run ROLE. */
  onRoleUnknown: (reason: string) => void;
}

/**
 * Detects open but useless connections: a frozen machine, a network that drops packets, a master that became a replica, a name that
 * resolves to another server. Returns the function that stops it; later answers are dropped, because the next link may be in use by then.
 */
export function watchLink(link: RedisLink, { silenceMs, onOver, onRoleUnknown }: WatchOptions): () => void {
  const askedAtMs = new Map<string, number>();
  let readyAtMs = performance.now();
  let isStopped = false;

  const silence = (nowMs: number): string | undefined => {
    if (link.isReady) readyAtMs = nowMs;
    else if (nowMs - readyAtMs >= Math.max(INCOMPLETE_MS, silenceMs)) return `a server is away for ${INCOMPLETE_MS} ms`;
    const isSilent = [...askedAtMs.values()].some((askedMs) => nowMs - askedMs >= silenceMs);
    return isSilent ? `no answer for ${silenceMs} ms` : undefined;
  };
  const askRoles = (nowMs: number) => {
    for (const { address, send } of link.servers) {
      if (askedAtMs.has(address)) continue;
      askedAtMs.set(address, nowMs);
      assertMaster(send)
        .then(
          (reason) => !isStopped && reason !== undefined && onRoleUnknown(reason),
          (error: Error) => !isStopped && onOver(error),
        )
        .finally(() => askedAtMs.delete(address));
    }
  };
  const look = () => {
    const nowMs = performance.now();
    const reason = silence(nowMs);
    if (reason === undefined) askRoles(nowMs);
    else onOver(new Error(reason));
  };

  const timer = setInterval(look, Math.min(silenceMs / 4, ASK_AT_LEAST_EVERY_MS)).unref();
  const stopName = link.watchName?.((addresses) => onOver(new Error(`its name stands for ${addresses} now`)));
  return () => {
    isStopped = true;
    clearInterval(timer);
    stopName?.();
  };
}
