import { trace } from '@opentelemetry/api';
import { pino, type DestinationStream, type Logger } from 'pino';
import { LogOutput, standardOutput } from './log-output.js';
import { redact, redactText } from './redaction.js';
import type { LoggerService } from '@nestjs/common';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
type Fields = object;

/** JSON lines on stdout (see LogOutput) with service, trace_id and span_id. Fields are redacted by name and by type. */
export class ServiceLogger {
  readonly #pino: Logger;

  constructor(logger: Logger) {
    this.#pino = logger;
  }

  debug(fields: Fields, message: string): void {
    if (this.isEnabled('debug')) this.#pino.debug(redact(fields), redactText(message));
  }

  info(fields: Fields, message: string): void {
    if (this.isEnabled('info')) this.#pino.info(redact(fields), redactText(message));
  }

  warn(fields: Fields, message: string): void {
    if (this.isEnabled('warn')) this.#pino.warn(redact(fields), redactText(message));
  }

  error(fields: Fields, message: string): void {
    if (this.isEnabled('error')) this.#pino.error(redact(fields), redactText(message));
  }

  child(fields: Fields): ServiceLogger {
    return new ServiceLogger(this.#pino.child(redact(fields)));
  }

  isEnabled(level: LogLevel): boolean {
    return this.#pino.isLevelEnabled(level);
  }
}

export function createLogger(options: {
  name: string;
  level?: LogLevel;
  destination?: DestinationStream;
}): ServiceLogger {
  const { name, level = 'info', destination = standardOutput() } = options;
  const logger = new ServiceLogger(
    pino(
      {
        level,
        base: { service: name },
        timestamp: pino.stdTimeFunctions.isoTime,
        messageKey: 'message',
        formatters: { level: (label) => ({ level: label }) },
        mixin: currentTrace,
      },
      destination,
    ),
  );
  if (destination instanceof LogOutput)
    destination.onRecovered = (dropped) =>
      logger.warn({ dropped }, 'log lines were dropped: whoever reads stdout had stopped reading');
  return logger;
}

function currentTrace(): object {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}

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
