import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { NotificationService } from './notification.service.js';

/** What the parser refuses never becomes a request, and yet may have been meant as a notification: it is counted and logged as one. */
@Injectable()
export class UnparsedRequests implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly notifications: NotificationService,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    // Before the listener that answers: after it the socket has no address any more.
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
