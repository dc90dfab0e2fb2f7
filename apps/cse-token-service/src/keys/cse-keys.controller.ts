import { Controller, Header, HttpCode, Options, Post, Req } from '@nestjs/common';
import { IsDefined, IsString, Length, ValidateIf, validateSync } from 'class-validator';
import { faultsOf, Problem, type ProblemFault } from '@tranche/service-kit';
import { cardDataRefused, holdsCards, idHoldsCard, textHoldsCards } from '../card-data/card-data.js';
import { CseConfig } from '../cse.config.js';
import { KnownKeys } from './known-keys.store.js';
import { EncryptionKeyService } from './encryption-key.service.js';

export const MAX_BODY_BYTES = 1_024;
const JSON_TYPE = /^application\/json *(?:;|$)/i;
const API_KEY_ID_LENGTH = 36;
const MAX_KEY_ID_LENGTH = 255;
const FIRST_FAULT_OF_EACH = { stopAtFirstError: true, validationError: { target: false, value: false } };

/** Body of POST /v1/cse-keys. A field's decorators apply from last to first, up to the first fault. */
export class KeyRequest {
  @Length(API_KEY_ID_LENGTH, API_KEY_ID_LENGTH, { message: `must have ${API_KEY_ID_LENGTH} characters` })
  @IsString({ message: 'must be a text' })
  @IsDefined({ message: 'is required' })
  apiKeyId: string;

  /** Id of a key that a tokenizer refused. */
  @Length(1, MAX_KEY_ID_LENGTH, { message: `must have 1 to ${MAX_KEY_ID_LENGTH} characters` })
  @IsString({ message: 'must be a text' })
  @ValidateIf((_, refused) => refused !== undefined)
  refused?: string;
}

/**
 * The body must be exactly `{ apiKeyId, refused? }`. Other content may be card data that a page sent to the wrong address, so neither its
 * values nor its names are repeated anywhere.
 * @param isKnown true for our own ids, which are never taken for card data
 */
export function readKeyRequest(text: string, isKnown: (id: string) => boolean): KeyRequest {
  const body = jsonOf(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    if (holdsCards(body)) throw cardDataRefused();
    throw refusedBody([fault('', 'type', 'must be a JSON object')]);
  }
  const { apiKeyId, refused, ...others } = body as Record<string, unknown>;
  const isOnlyThis = Object.keys(others).length === 0;
  if (!isOnlyThis && holdsCards(others)) throw cardDataRefused();
  if (isStrange(apiKeyId, isKnown) && holdsCards(apiKeyId)) throw cardDataRefused();
  if (isStrange(refused, isKnown) && idHoldsCard(refused)) throw cardDataRefused();
  // Parsing drops the first of two equal names, so a text that differs from the parsed body is searched itself.
  if (JSON.stringify(body) !== text && textHoldsCards(without(text, [apiKeyId, refused]))) throw cardDataRefused();
  const request = Object.assign(new KeyRequest(), { apiKeyId, refused }) as KeyRequest;
  // The usual body needs no validation by the class, which would cost a tenth of the request.
  const isUsual = isOnlyThis && refused === undefined && !isStrange(apiKeyId, isKnown);
  if (isUsual && request.apiKeyId?.length === API_KEY_ID_LENGTH) return request;
  const faults = isOnlyThis ? [] : [fault('', 'unknown_field', 'only apiKeyId and refused are accepted here')];
  faults.push(...faultsOf(validateSync(request, FIRST_FAULT_OF_EACH)));
  if (faults.length > 0) throw refusedBody(faults);
  return request;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (textHoldsCards(text)) throw cardDataRefused();
    throw new Problem({ status: 400, code: 'malformed_request', detail: 'The body must be valid JSON.' });
  }
}

function isStrange(id: unknown, isKnown: (id: string) => boolean): boolean {
  return id !== undefined && !(typeof id === 'string' && isKnown(id));
}

function without(text: string, ids: unknown[]): string {
  return ids.reduce<string>((rest, id) => (typeof id === 'string' && id !== '' ? rest.replaceAll(id, '') : rest), text);
}

function fault(path: string, code: string, message: string): ProblemFault {
  return { path, code, message };
}

function refusedBody(faults: readonly ProblemFault[]): Problem {
  return new Problem({
    status: 400,
    code: 'invalid_request',
    detail: 'The body is not as it must be, see faults.',
    faults,
  });
}

function notJson(): Problem {
  const detail = 'The body must be JSON, and its content type must say so.';
  return new Problem({ status: 415, code: 'unsupported_media_type', detail });
}

export const KEYS_PATH = '/v1/cse-keys';

interface RequestWithBytes {
  body?: Buffer;
  headers: { 'content-type'?: string };
}

/** Hands keys to pages. Admission lets only configured origins come here, within their limits. Refused content is neither repeated nor logged. */
@Controller(KEYS_PATH)
export class CseKeysController {
  readonly #apiKeyIds: ReadonlySet<string>;
  readonly #isKnown = (id: string) => this.#apiKeyIds.has(id) || this.known.has(id);

  constructor(
    { merchants }: CseConfig,
    private readonly known: KnownKeys,
    private readonly keys: EncryptionKeyService,
  ) {
    const keysOfAll = merchants.all.flatMap(({ apiKeys = [] }) => apiKeys);
    this.#apiKeyIds = new Set(keysOfAll.filter(({ type }) => type !== 'Private').map(({ id }) => id));
  }

  /** Returns the key as JSON text, which is serialized once per key and not per page. */
  @Post()
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  key(@Req() { body, headers }: RequestWithBytes): string | Promise<string> {
    return this.keys.answer(this.#read(body?.toString() ?? '', headers['content-type']));
  }

  /** Only for a configured API key id. Card data are refused for any content type. */
  #read(text: string, contentType = ''): KeyRequest {
    if (!JSON_TYPE.test(contentType)) throw textHoldsCards(text) ? cardDataRefused() : notJson();
    const request = readKeyRequest(text, this.#isKnown);
    if (this.#apiKeyIds.has(request.apiKeyId)) return request;
    throw new Problem({ status: 403, code: 'unknown_api_key', detail: 'This apiKeyId is not configured.' });
  }

  /** CORS has written the headers. */
  @Options()
  @HttpCode(204)
  preflight(): void {}
}
