import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { countedAs, Problem } from '@tranche/service-kit';
import { RequestLimits } from '../limits/request-limits.store.js';
import { OriginHeaders } from './origin-headers.service.js';
import type { PageReply, PageRequest } from './page-request.js';

/** Applies the limits of address and origin, then checks that the origin is configured. */
@Injectable()
export class AdmissionGuard implements CanActivate {
  constructor(
    private readonly limits: RequestLimits,
    private readonly origins: OriginHeaders,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const { headers, ip } = http.getRequest<PageRequest>();
    const admitted = this.origins.of(headers.origin);
    const address = countedAs(ip ?? '');
    const waitSeconds = this.limits.take(address, admitted === undefined ? undefined : headers.origin);
    if (waitSeconds !== undefined) throw tooMany(waitSeconds);
    if (admitted === undefined) throw notAdmitted();
    http.getResponse<PageReply>().headers(admitted);
    return true;
  }
}

function tooMany(waitSeconds: number): Problem {
  const headers = { 'retry-after': String(waitSeconds) };
  return new Problem({
    status: 429,
    code: 'too_many_requests',
    detail: 'Too many requests. Try again later.',
    headers,
  });
}

function notAdmitted(): Problem {
  return new Problem({
    status: 403,
    code: 'origin_not_allowed',
    detail: 'This address answers only the pages of configured origins.',
  });
}
