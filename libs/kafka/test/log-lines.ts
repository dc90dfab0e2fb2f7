import { silentLog, type Log } from '@tranche/runtime';

/** A log whose `signal` aborts at the first warning that starts with `beginning`. */
export function listening(beginning: string): { log: Log; signal: AbortSignal; line: () => string } {
  const heard = new AbortController();
  let line = '';
  const warn = (_: unknown, message?: string) => {
    if (line !== '' || !message?.startsWith(beginning)) return;
    line = message;
    heard.abort(new Error('heard'));
  };
  return { log: { ...silentLog, warn }, signal: heard.signal, line: () => line };
}
