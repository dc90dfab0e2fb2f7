import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { isLoopbackAddress, Problem } from '@tranche/service-kit';

/**
 * Lets a request in that nobody could read on its way: over TLS, which a proxy of `TRUSTED_PROXIES` ended, or from this machine. Everything else
 * gets Problem 403 `tls_required`; the credentials in it are to be replaced.
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
