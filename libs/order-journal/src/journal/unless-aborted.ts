/** Resolves with `wait`, or rejects with the signal's reason where the signal aborts first. */
export async function unlessAborted<T>(wait: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<void>((resolve) => (abort = resolve));
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([wait, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
  signal.throwIfAborted();
  return wait;
}
