import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { FailureLimits } from './failure-limits.store.js';
import { SerialQueue } from './serial-queue.js';

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
