import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { isLoopbackAddress, Problem } from '@tranche/service-kit';

/**
 * Admits requests that nobody could intercept: over TLS that a proxy of `TRUSTED_PROXIES` terminated, or from this machine. Others get
 * Problem 403 `tls_required`; the credentials in them should be replaced.
 */
@Injectable()
export class TlsGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { ip, protocol } = context.switchToHttp().getRequest<{ ip: string; protocol: string }>();
    if (protocol === 'https' || isLoopbackAddress(ip)) return true;
    throw new Problem({
      status: 403,
      code: 'tls_required',
      detail:
        'Credentials of users come over TLS only. Let a proxy of TRUSTED_PROXIES end TLS and say so in X-Forwarded-Proto.',
    });
  }
}
