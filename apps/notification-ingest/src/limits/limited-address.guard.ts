import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { FailureLimits } from './failure-limits.store.js';

/** Serializes the requests of limited addresses, so that verifying them cannot delay the requests of all others. */
@Injectable()
export class LimitedAddressGuard implements CanActivate {
  readonly #queue = new SerialQueue((next) => void setImmediate(next));

  constructor(private readonly limits: FailureLimits) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { ip } = context.switchToHttp().getRequest<{ ip: string }>();
    return this.limits.isLimited(ip) ? this.#queue.take().then(() => true) : true;
  }
}

/** First-in, first-out queue. Each callback of `schedule` lets one caller continue. */
export class SerialQueue {
  #waiting: (() => void)[] = [];

  constructor(private readonly schedule: (next: () => void) => void) {}

  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.schedule(() => this.#next());
    });
  }

  #next(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.schedule(() => this.#next());
  }
}
