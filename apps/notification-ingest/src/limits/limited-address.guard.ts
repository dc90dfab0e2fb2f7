import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { FailureLimits } from './failure-limits.store.js';
import { SerialQueue } from './serial-queue.js';

/** The requests of an address that failed too often are read and verified one at a time, and all others between them. */
@Injectable()
export class LimitedAddressGuard implements CanActivate {
  readonly #queue = new SerialQueue((next) => void setImmediate(next));

  constructor(private readonly limits: FailureLimits) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { ip } = context.switchToHttp().getRequest<{ ip: string }>();
    return this.limits.isLimited(ip) ? this.#queue.take().then(() => true) : true;
  }
}
