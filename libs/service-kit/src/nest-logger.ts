import type { LoggerService } from '@nestjs/common';
import type { ServiceLogger } from './logger.js';

/** Writes Nest's messages to our log. Its start-up messages become debug; errors stay errors. */
export function nestLogger(log: ServiceLogger): LoggerService {
  const write =
    (level: 'debug' | 'warn' | 'error') =>
    (message: unknown, ...rest: unknown[]) =>
      log[level]({ context: rest.at(-1), ...(message instanceof Error ? { err: message } : {}) }, textOf(message));
  return {
    log: write('debug'),
    debug: write('debug'),
    verbose: write('debug'),
    warn: write('warn'),
    error: write('error'),
    fatal: write('error'),
  };
}

function textOf(message: unknown): string {
  if (typeof message === 'string') return message;
  return message instanceof Error ? message.message : JSON.stringify(message);
}
