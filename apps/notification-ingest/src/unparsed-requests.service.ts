import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { clientAddress, KitConfig } from '@tranche/service-kit';
import { NotificationService } from './notification.service.js';
import { unparsedRequest } from './received-request.js';

/** `rawPacket`: what came with the bytes that could not be parsed. */
type ClientError = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** Counts, logs and keeps the requests that Node.js cannot parse. They reach no route, but may have been notifications. */
@Injectable()
export class UnparsedRequests implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly notifications: NotificationService,
    private readonly kit: KitConfig,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    // Our listener comes first, because the one that answers destroys the socket and with it the address.
    server.prependListener('clientError', (error: ClientError, socket: Duplex & { remoteAddress?: string }) => {
      const { code = 'unknown', rawPacket = Buffer.alloc(0) } = error;
      if (code === 'ECONNRESET' || socket.remoteAddress === undefined) return;
      const { request, forwardedFor } = unparsedRequest(rawPacket);
      const from = clientAddress(socket.remoteAddress, forwardedFor, this.kit.isProxy);
      if (code === 'HPE_HEADER_OVERFLOW') this.notifications.refuseUnrouted(431, request, from);
      else this.notifications.refuseUnreadable(`it is no HTTP request (${code})`, request, from);
    });
  }
}
