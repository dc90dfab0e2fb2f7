import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Catch, Injectable, type ArgumentsHost, type OnModuleInit } from '@nestjs/common';
import {
  clientAddress,
  KitConfig,
  Problem,
  ProblemFilter,
  problemOf,
  ServiceLogger,
  tooManyRequests,
} from '@tranche/service-kit';
import { HttpAdapterHost } from '@nestjs/core';
import { FailureLimits } from './limits/failure-limits.store.js';
import { UnreadableNotification } from './notification.controller.js';
import { NotificationService } from './notification.service.js';
import { receivedRequest, type RequestAsItCame, unparsedRequest } from './received-request.js';
import { BrowserReturns, returnPath, type Reply } from './return/browser-return.service.js';

const TOO_MANY_FAILURES = 'Too many requests of this address failed. What is signed is still taken.';

const nothingRead = () => ({ unreadable: 'the request was refused before it was read' });
const FAILURES: ReadonlySet<number> = new Set([400, 403, 404, 405, 413, 415]);

type FailedRequest = RequestAsItCame & { ip: string };

/** Logs, counts and keeps every failed request, routed or not. After too many failures an address gets 429 instead of its error. */
@Catch()
@Injectable()
export class FailureFilter extends ProblemFilter {
  constructor(
    log: ServiceLogger,
    private readonly notifications: NotificationService,
    private readonly failures: FailureLimits,
    private readonly returns: BrowserReturns,
  ) {
    super(log);
  }

  override async catch(error: unknown, host: ArgumentsHost): Promise<unknown> {
    const problem = problemOf(error);
    if (!FAILURES.has(problem.status)) return super.catch(error, host);
    const http = host.switchToHttp();
    const request = http.getRequest<FailedRequest>();
    // The client must reconnect after a failure, which costs it as much as us.
    const reply = http.getResponse<Reply>().headers({ connection: 'close' });
    const merchant = returnPath(request.originalUrl);
    // A cardholder comes to a return page, whom the platform sent: that is no notification, and no failure to count.
    if (merchant !== undefined) return this.returns.answer(reply, merchant, nothingRead, problem.status);
    const waitSeconds = await this.#count(problem, request).catch((fault: unknown) => {
      // Nest does not catch a rejection of an asynchronous filter: it would end the process.
      this.log.error({ err: fault }, 'A failed request could not be counted');
      return undefined;
    });
    return super.catch(waitSeconds === undefined ? error : tooManyRequests(TOO_MANY_FAILURES, waitSeconds), host);
  }

  async #count(problem: Problem, request: FailedRequest): Promise<number | undefined> {
    this.#report(problem, request);
    return this.failures.countFailure(request.ip);
  }

  /** 403 is left out: the service logged that HASH when it verified it. */
  #report(problem: Problem, request: FailedRequest): void {
    if (problem.status === 403) return;
    const received = receivedRequest(request);
    if (problem instanceof UnreadableNotification)
      this.notifications.refuseUnreadable(problem.reason.unreadable, received, request.ip);
    else this.notifications.refuseUnrouted(problem.status, received, request.ip);
  }
}

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
