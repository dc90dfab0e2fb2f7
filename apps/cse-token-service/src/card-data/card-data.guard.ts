import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { PageRequest } from '../admission/page-request.js';
import { KEYS_PATH } from '../keys/paths.js';
import { cardDataRefused, HeaderScan, textHoldsCards } from './card-data.js';

/** Refuses card data in the URL and in the headers, before the body is read. */
@Injectable()
export class CardDataGuard implements CanActivate {
  readonly #headers = new HeaderScan();

  canActivate(context: ExecutionContext): boolean {
    const { originalUrl, raw } = context.switchToHttp().getRequest<PageRequest>();
    if (originalUrl !== KEYS_PATH && textHoldsCards(originalUrl)) throw cardDataRefused();
    if (this.#headers.holdsCards(raw.rawHeaders)) throw cardDataRefused();
    return true;
  }
}
