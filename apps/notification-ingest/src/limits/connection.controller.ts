import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Metrics } from '@tranche/service-kit';
import type { IngestConfig } from '../ingest.config.js';
import { NotificationService } from '../notification.service.js';
import { addressKey } from './address-key.js';
import { pathWithoutSlash } from './path-without-slash.js';

/** Requests of a connection that have no answer yet. The platform, and every proxy that is known, sends one after the other. */
const MAX_UNANSWERED = 8;
/** Bytes of answers that the other end does not read. */
const MAX_UNREAD_BYTES = 65_536;

/** Bounds what a connection, and an address, may hold here. What is beyond is cut, not answered: an answer would be held as well. */
export function limitConnections(app: NestFastifyApplication, config: IngestConfig): void {
  const server: Server = app.getHttpServer();
  const cut = app.get(Metrics).counter({
    name: 'ingest_connections_cut_total',
    help: 'Connections closed at once: the address has as many as it may (address), too many requests without an answer (pipelined), answers that nobody reads (unread)',
    labelNames: ['reason'],
  });
  server.maxConnections = config.maxConnections;
  limitPerAddress(server, config.maxConnectionsPerAddress, () => cut.inc({ reason: 'address' }));
  limitUnanswered(server, (reason) => cut.inc({ reason }));
  reportUnparsed(server, app.get(NotificationService));
}

function limitPerAddress(server: Server, max: number, onCut: () => void): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = addressKey(socket.remoteAddress ?? '');
    const count = (open.get(address) ?? 0) + 1;
    if (count > max) {
      onCut();
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}

/** In front of all handlers: Node.js parses what it has read to the end, also when the connection was closed in between. */
function limitUnanswered(server: Server, onCut: (reason: 'pipelined' | 'unread') => void): void {
  const unanswered = new WeakMap<Socket, number>();
  const handlers = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const count = (unanswered.get(socket) ?? 0) + 1;
    const isUnread = socket.writableLength > MAX_UNREAD_BYTES;
    if (count > MAX_UNANSWERED || isUnread) {
      onCut(isUnread ? 'unread' : 'pipelined');
      ignoreTheRest(socket);
      socket.destroy();
      return;
    }
    unanswered.set(socket, count);
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    normalize(request);
    for (const handle of handlers) handle.call(server, request, response);
  });
}

/**
 * Node.js makes a request and an error of each that it has read already, a thousand of them in 64 kB. Its parser is no public API: without
 * it they are made, and nothing else changes.
 */
function ignoreTheRest(socket: Socket): void {
  const { parser } = socket as { parser?: { onIncoming?: unknown } | null };
  if (typeof parser?.onIncoming === 'function') parser.onIncoming = () => 0;
}

function normalize(request: IncomingMessage): void {
  request.url = pathWithoutSlash(request.url ?? '');
}

/** What the parser refuses never becomes a request, and yet may have been meant as a notification. */
function reportUnparsed(server: Server, notifications: NotificationService): void {
  server.prependListener('clientError', (error: NodeJS.ErrnoException, socket: Duplex & { remoteAddress?: string }) => {
    if (error.code === 'ECONNRESET' || socket.remoteAddress === undefined) return;
    notifications.refuseUnreadable({ unreadable: `it is no HTTP request (${error.code ?? 'unknown'})` }, socket.remoteAddress);
  });
}
