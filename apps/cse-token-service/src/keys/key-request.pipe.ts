import { Injectable, type PipeTransform } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import { cardDataRefused, textHoldsCards } from '../card-data/card-data.js';
import { CseConfig } from '../cse.config.js';
import { bodyText } from './body-text.js';
import type { KeyBody } from './key-body.decorator.js';
import type { KeyRequest } from './key-request.dto.js';
import { readKeyRequest } from './key-request.js';
import { KnownKeys } from './known-keys.store.js';

export const MAX_BODY_BYTES = 1_024;
const JSON_TYPE = /^application\/json *(?:;|$)/i;

/** Converts the unread body to a request for a configured API key id. Card data are refused for any content type. */
@Injectable()
export class KeyRequestPipe implements PipeTransform<KeyBody, Promise<KeyRequest>> {
  readonly #apiKeyIds: ReadonlySet<string>;
  readonly #isKnown = (id: string) => this.#apiKeyIds.has(id) || this.known.has(id);

  constructor(
    { merchants }: CseConfig,
    private readonly known: KnownKeys,
  ) {
    this.#apiKeyIds = new Set(
      merchants.all.flatMap(({ apiKeys = [] }) => apiKeys.filter(({ type }) => type !== 'Private').map(({ id }) => id)),
    );
  }

  async transform({ contentType, stream }: KeyBody): Promise<KeyRequest> {
    const text = stream === undefined ? '' : await bodyText(stream, MAX_BODY_BYTES);
    if (!JSON_TYPE.test(contentType)) throw textHoldsCards(text) ? cardDataRefused() : notJson();
    const request = readKeyRequest(text, this.#isKnown);
    if (!this.#apiKeyIds.has(request.apiKeyId)) throw unknownApiKey();
    return request;
  }
}

function notJson(): Problem {
  return new Problem({
    status: 415,
    code: 'unsupported_media_type',
    detail: 'The body must be JSON, and its content type must say so.',
  });
}

function unknownApiKey(): Problem {
  return new Problem({ status: 403, code: 'unknown_api_key', detail: 'This apiKeyId is not configured.' });
}
