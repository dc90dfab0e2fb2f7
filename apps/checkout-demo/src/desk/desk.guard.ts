import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import { CheckoutConfig } from '../checkout.config.js';

/** HTTP Basic with one password, whatever the user's name: browsers ask for it by themselves. A real shop has its own sign-in here. */
@Injectable()
export class DeskGuard implements CanActivate {
  constructor(private readonly config: CheckoutConfig) {}

  canActivate(context: ExecutionContext): boolean {
    const { authorization } = context.switchToHttp().getRequest<{ headers: { authorization?: string } }>().headers;
    const { deskPassword } = this.config;
    if (deskPassword === undefined)
      throw new Problem({ status: 404, code: 'not_found', detail: 'The desk is closed: DESK_PASSWORD is not set.' });
    if (deskPassword.equals(passwordIn(authorization))) return true;
    const headers = { 'www-authenticate': 'Basic realm="desk", charset="UTF-8"' };
    throw new Problem({ status: 401, code: 'unauthorized', detail: 'The desk asks for its password.', headers });
  }
}

function passwordIn(authorization = ''): string {
  const [, credentials = ''] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization) ?? [];
  const [, ...password] = Buffer.from(credentials, 'base64').toString('utf8').split(':');
  return password.join(':');
}
