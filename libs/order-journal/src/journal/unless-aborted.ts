/** What is waited for, unless the signal comes first: rejects with its reason then. */
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
