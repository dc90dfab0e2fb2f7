import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { NotificationService } from './notification.service.js';

/** Counts and logs the requests that Node.js cannot parse. They reach no route, but may have been notifications. */
@Injectable()
export class UnparsedRequests implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly notifications: NotificationService,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    // Our listener comes first, because the one that answers destroys the socket and with it the address.
    server.prependListener(
      'clientError',
      (error: NodeJS.ErrnoException, socket: Duplex & { remoteAddress?: string }) => {
        if (error.code === 'ECONNRESET' || socket.remoteAddress === undefined) return;
        if (error.code === 'HPE_HEADER_OVERFLOW') this.notifications.refuseUnrouted(431, socket.remoteAddress);
        else
          this.notifications.refuseUnreadable(
            { unreadable: `it is no HTTP request (${error.code ?? 'unknown'})` },
            socket.remoteAddress,
          );
      },
    );
  }
}
