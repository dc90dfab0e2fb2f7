import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { clientAddress, countedAs, KitConfig, Metrics } from '@tranche/service-kit';
import { IngestConfig } from '../ingest.config.js';

/** Maximum requests in flight on one connection. The platform and common proxies do not pipeline, so they have one at a time. */
const MAX_UNANSWERED = 8;
/** Maximum bytes of answers that wait in a connection because the client does not read them. */
const MAX_UNREAD_BYTES = 65_536;

/** Bounds the memory of each connection and address. Beyond a limit we close the connection without an answer, because an answer would need memory too. */
@Injectable()
export class ConnectionLimits implements OnModuleInit {
  readonly #cut;
  readonly #open = new Map<string, number>();
  readonly #unanswered = new WeakMap<Socket, number>();

  constructor(
    private readonly host: HttpAdapterHost<FastifyAdapter>,
    private readonly config: IngestConfig,
    private readonly kit: KitConfig,
    metrics: Metrics,
  ) {
    this.#cut = metrics.counter({
      name: 'ingest_connections_cut_total',
      help: 'Connections closed without an answer: the address has its maximum of connections (address), too many requests in flight (pipelined), the client does not read its answers (unread)',
      labelNames: ['reason'],
    });
  }

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance();
    const server: Server & { httpAllowHalfOpen?: boolean } = this.host.httpAdapter.getHttpServer();
    // A sender may end its side behind the request, and still wait for its OK.
    server.httpAllowHalfOpen = true;
    server.maxConnections = this.config.maxConnections;
    server.on('connection', (socket: Socket) => this.#admit(socket));
    // Node.js still emits the requests it had already read when we destroyed the socket. They are dropped here.
    fastify.addHook('onRequest', (request, reply, done) => {
      if (this.#isTaken(request.raw.socket, reply.raw)) done();
      else reply.hijack();
    });
  }

  #admit(socket: Socket): void {
    const peer = socket.remoteAddress ?? '';
    // A proxy's connections belong to many clients, so they are not counted.
    if (this.kit.isProxy?.(clientAddress(peer, undefined, undefined))) return;
    const address = countedAs(peer);
    const count = (this.#open.get(address) ?? 0) + 1;
    if (count > this.config.maxConnectionsPerAddress) {
      this.#cut.inc({ reason: 'address' });
      socket.destroy();
      return;
    }
    this.#open.set(address, count);
    socket.once('close', () => {
      const left = (this.#open.get(address) ?? 1) - 1;
      if (left > 0) this.#open.set(address, left);
      else this.#open.delete(address);
    });
  }

  #isTaken(socket: Socket, response: NodeJS.EventEmitter): boolean {
    if (socket.destroyed) return false;
    const count = (this.#unanswered.get(socket) ?? 0) + 1;
    const isUnread = socket.writableLength > MAX_UNREAD_BYTES;
    if (count > MAX_UNANSWERED || isUnread) {
      this.#cut.inc({ reason: isUnread ? 'unread' : 'pipelined' });
      socket.destroy();
      return false;
    }
    this.#unanswered.set(socket, count);
    response.once('close', () => this.#unanswered.set(socket, (this.#unanswered.get(socket) ?? 1) - 1));
    return true;
  }
}
