import { silentLog, type Log } from '@tranche/runtime';

/** The default log: warnings and errors as JSON lines on standard error. */
export const logToStandardError: Log = {
  ...silentLog,
  warn: (fields, message) => console.warn(JSON.stringify({ level: 'warn', message, ...fields })),
  error: (fields, message) => console.error(JSON.stringify({ level: 'error', message, ...fields })),
};
