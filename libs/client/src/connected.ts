import { waitForKafka, type KafkaClient } from '@tranche/kafka';
import { within, type Log } from '@tranche/runtime';
import { KafkaUnreachableError } from './errors.js';

interface Opening {
  open: () => Promise<void>;
  /** Called after a failure, when `open` has settled. */
  undo: () => Promise<void>;
}

/** Resolves when a broker has answered and `open` has succeeded. Rejects after `timeoutMs` with the last failure as the cause. */
export async function connected(
  client: KafkaClient,
  log: Log,
  timeoutMs: number,
  { open, undo }: Opening,
): Promise<void> {
  const giveUp = new AbortController();
  let lastError: unknown;
  const listening: Log = {
    ...bound(log),
    warn: (fields, message) => {
      lastError = (fields as { error?: unknown }).error;
      log.warn(fields, message);
    },
  };
  const connecting = waitForKafka(client, { log: listening, signal: giveUp.signal }).then(() =>
    giveUp.signal.aborted ? undefined : open(),
  );
  const tooLate = () => new KafkaUnreachableError(client.brokers, timeoutMs, { cause: lastError });
  try {
    await within(timeoutMs, connecting, tooLate);
  } catch (error) {
    giveUp.abort();
    void connecting.catch(() => undefined).then(undo);
    throw error;
  }
}

/** Calls the methods on their logger, because they may use `this`. */
function bound(log: Log): Log {
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  };
}
