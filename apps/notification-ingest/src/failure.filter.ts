import { Catch, Injectable, type ArgumentsHost } from '@nestjs/common';
import { Problem, ProblemFilter, problemOf, ServiceLogger, tooManyRequests } from '@tranche/service-kit';
import { FailureLimits } from './limits/failure-limits.store.js';
import { UnreadableNotification } from './notification-parameters.pipe.js';
import { NotificationService } from './notification.service.js';
import { receivedRequest, type RequestAsItCame } from './received-request.js';
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
    const waitSeconds = await this.count(problem, request).catch((fault: unknown) => {
      // Nest does not catch a rejection of an asynchronous filter: it would end the process.
      this.log.error({ err: fault }, 'A failed request could not be counted');
      return undefined;
    });
    return super.catch(waitSeconds === undefined ? error : tooManyRequests(TOO_MANY_FAILURES, waitSeconds), host);
  }

  private async count(problem: Problem, request: FailedRequest): Promise<number | undefined> {
    this.report(problem, request);
    return this.failures.countFailure(request.ip);
  }

  /** 403 is left out: the service logged that HASH when it verified it. */
  private report(problem: Problem, request: FailedRequest): void {
    if (problem.status === 403) return;
    const received = receivedRequest(request);
    if (problem instanceof UnreadableNotification)
      this.notifications.refuseUnreadable(problem.reason.unreadable, received, request.ip);
    else this.notifications.refuseUnrouted(problem.status, received, request.ip);
  }
}
