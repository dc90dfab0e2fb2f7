import { Inject, Injectable } from '@nestjs/common';
import { CseConfig } from '../cse.config.js';
import { headersOfOrigins, type Headers } from '../origins.js';

/** Response headers by origin. */
@Injectable()
export class OriginHeaders {
  readonly #byOrigin: ReadonlyMap<string, Headers>;

  constructor(@Inject(CseConfig) { origins }: Pick<CseConfig, 'origins'>) {
    this.#byOrigin = headersOfOrigins(origins);
  }

  /** Undefined for an origin that is not configured. */
  of(origin: string | undefined): Headers | undefined {
    return origin === undefined ? undefined : this.#byOrigin.get(origin);
  }
}
