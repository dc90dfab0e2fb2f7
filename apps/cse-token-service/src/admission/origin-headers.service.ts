import { Inject, Injectable } from '@nestjs/common';
import { CseConfig } from '../cse.config.js';
import { headersOfOrigins, type Headers } from '../origins.js';

@Injectable()
export class OriginHeaders {
  readonly #byOrigin: ReadonlyMap<string, Headers>;

  constructor(@Inject(CseConfig) { origins }: Pick<CseConfig, 'origins'>) {
    this.#byOrigin = headersOfOrigins(origins);
  }

  of(origin: string | undefined): Headers | undefined {
    return origin === undefined ? undefined : this.#byOrigin.get(origin);
  }
}
