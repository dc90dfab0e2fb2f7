import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { textOfBody, type PlatformReply } from '@tranche/platform';
import { ANSWER_HEADER_BYTES, injectTrace } from '@tranche/service-kit';
import { SEND_DEADLINE_MS } from '@tranche/order-journal';
import { errors, type Dispatcher } from 'undici';
import { GatewayConfig } from '../gateway.config.js';
import { connectorOverTcp, PlatformConnections, type PlatformConnection } from './platform-connection.js';
import { WarmSockets } from './warm-sockets.js';

/** Maximum size of an answer; a larger one counts as lost. REDIRECTHTML is the only long field, and a record carries 12 MiB of it. */
const ANSWER_BYTES = 16 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 3_000;

interface PlatformCall {
  /** Path behind {payment_url}. */
  path: string;
  body: string;
  bearerToken?: string;
  /** Index into PAYMENT_URL, from 0. */
  url: number;
  /** Called once, immediately before the first byte. False sends nothing (R5, send deadline). */
  maySend: () => boolean;
}

interface Target {
  connections: PlatformConnections;
  prefix: string;
  warm: WarmSockets;
  /** Times at which `warmUp` was called for calls that have not started. Monotonic, milliseconds. */
  wanted: number[];
}

/** Sends one POST per call, without retry or redirect, and knows if the first byte may have left. */
@Injectable()
export class PlatformClient implements OnApplicationShutdown {
  readonly #targets: readonly Target[];
  readonly #timeoutMs: number;
  readonly #connections: number;

  constructor(config: GatewayConfig) {
    this.#timeoutMs = config.platformTimeoutMs;
    this.#connections = config.inFlight;
    this.#targets = config.paymentUrls.map((address) => {
      const url = new URL(address);
      const warm = new WarmSockets(url, connectorOverTcp(CONNECT_TIMEOUT_MS));
      const options = {
        connect: warm.connect,
        pipelining: 1,
        maxHeaderSize: ANSWER_HEADER_BYTES,
        headersTimeout: 0,
        bodyTimeout: 0,
      };
      const connections = new PlatformConnections(new URL(url.origin), options, config.inFlight);
      return { connections, warm, wanted: [], prefix: url.pathname.replace(/\/$/, '') };
    });
  }

  /** One or two. The second URL is used only after the first provably did not execute. */
  get urlCount(): number {
    return this.#targets.length;
  }

  /**
   * Opens a connection for a coming call, without a byte written. A failure is left to the call to report. A connection without a call is free again
   * after the send deadline.
   */
  async warmUp(url: number): Promise<void> {
    const target = this.#targets[url % this.#targets.length]!;
    const { warm, wanted, connections } = target;
    const nowMs = performance.now();
    while (nowMs - wanted[0]! >= SEND_DEADLINE_MS) wanted.shift();
    wanted.push(nowMs);
    const isThere = connections.unused + warm.size >= wanted.length;
    if (!isThere && connections.connected + warm.size < this.#connections) await warm.open();
  }

  post({ path, body, bearerToken, url, maySend }: PlatformCall): Promise<PlatformReply> {
    const headers: Record<string, string> = {
      'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
      accept: 'application/json',
    };
    if (bearerToken !== undefined) headers['authorization'] = `Bearer ${bearerToken}`;
    injectTrace(headers);
    const target = this.#targets[url % this.#targets.length]!;
    const { connections, prefix } = target;
    target.wanted.shift();
    return new Promise((resolve) => {
      connections.take((connection) => {
        const exchange = new Exchange(this.#timeoutMs, maySend, resolve, connection, () =>
          connections.giveBack(connection),
        );
        try {
          connection.dispatch({ method: 'POST', path: `${prefix}${path}`, headers, body }, exchange);
        } catch (error) {
          exchange.onResponseError(undefined, error as Error);
        }
      });
    });
  }

  /** True where any of the URLs accepts a connection now. Sends nothing; the next call takes that connection. */
  async canConnect(): Promise<boolean> {
    const connected = await Promise.all(this.#targets.map(({ warm }) => warm.open()));
    return connected.includes(true);
  }

  async onApplicationShutdown(): Promise<void> {
    for (const { warm } of this.#targets) warm.close();
    await Promise.all(this.#targets.map(({ connections }) => connections.close()));
  }
}

/**
 * The course of one call. undici calls `onRequestStart` on a connected socket, immediately before it writes the first byte: a failure before it was
 * provably never sent, a failure after it may have been executed. undici calls it again where it would resend the request (on a connection that it
 * closed itself); a call is written only once, so the second start is refused. This depends on undici's implementation, so its version is pinned and
 * `platform.client.spec.ts` checks it.
 */
class Exchange implements Dispatcher.DispatchHandler {
  #started = false;
  #settled = false;
  #isOver = false;
  #status = 0;
  #wwwAuthenticate: string | undefined;
  #contentType: string | undefined;
  #bytes = 0;
  readonly #chunks: Buffer[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly timeoutMs: number,
    readonly maySend: () => boolean,
    readonly resolve: (reply: PlatformReply) => void,
    readonly connection: PlatformConnection,
    /** Called when undici is done with the call, which after a time-out is later than `resolve`. */
    readonly ended: () => void,
  ) {}

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#started) {
      this.#settle({
        kind: 'lost',
        reason: 'connection_lost',
        message: 'The connection broke after the call was sent',
      });
      controller.abort(new Error('sent once already'));
      return;
    }
    if (!this.maySend()) {
      this.#settle({ kind: 'not_sent', reason: 'send_deadline', message: 'The send deadline had passed' });
      controller.abort(new Error('send deadline'));
      return;
    }
    this.#started = true;
    this.#timer = setTimeout(() => {
      this.#settle({ kind: 'lost', reason: 'timeout', message: `No whole answer within ${this.timeoutMs} ms` });
      // The reset also ends the exchange, once undici sees the connection closed.
      if (!this.connection.reset()) controller.abort(new Error('time-out'));
    }, this.timeoutMs);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = statusCode;
    this.#wwwAuthenticate = [headers['www-authenticate']].flat()[0];
    this.#contentType = [headers['content-type']].flat()[0];
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#chunks.push(chunk);
    if (this.#bytes <= ANSWER_BYTES) return;
    this.#settle({ kind: 'answered', status: this.#status, body: '' });
    controller.abort(new Error('the answer is too long'));
  }

  onResponseEnd(): void {
    this.#end();
    const body = textOfBody(Buffer.concat(this.#chunks), this.#contentType);
    const wwwAuthenticate = this.#wwwAuthenticate;
    this.#settle({
      kind: 'answered',
      status: this.#status,
      body,
      ...(wwwAuthenticate === undefined ? {} : { wwwAuthenticate }),
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#end();
    if (this.#started) return this.#settle(lossOf(error));
    const message = `The platform could not be reached: ${nameOf(error)}`;
    this.#settle({ kind: 'not_sent', reason: 'unreachable', message });
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.ended();
  }

  #settle(reply: PlatformReply): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.resolve(reply);
  }
}

const nameOf = (error: Error): string =>
  ('code' in error && typeof error.code === 'string' ? error.code : error.name).slice(0, 100);

/** undici's own messages hold nothing of the answer. */
function lossOf(error: Error): PlatformReply {
  const unreadable = (why: string): PlatformReply => ({
    kind: 'lost',
    reason: 'unreadable_answer',
    message: `The platform’s answer is not HTTP that can be read: ${why}`,
  });
  if (error instanceof errors.HTTPParserError) return unreadable(/\(([^(]*)\)$/.exec(error.message)?.[1] ?? error.name);
  if (error instanceof errors.HeadersOverflowError)
    return unreadable(`its headers are larger than ${ANSWER_HEADER_BYTES} bytes`);
  if (error instanceof errors.ResponseContentLengthMismatchError)
    return unreadable('its Content-Length contradicts the rest of it');
  const why = error instanceof errors.SocketError ? error.message : nameOf(error);
  return { kind: 'lost', reason: 'connection_lost', message: `The connection broke: ${why}` };
}
