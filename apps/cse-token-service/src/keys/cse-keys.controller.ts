import { Controller, Header, HttpCode, Options, Post, Req } from '@nestjs/common';
import { EncryptionKeyService } from './encryption-key.service.js';
import { KeyRequests } from './key-request.js';

export const KEYS_PATH = '/v1/cse-keys';

interface RequestWithBytes {
  body?: Buffer;
  headers: { 'content-type'?: string };
}

/** Admission lets only configured origins come here, within their limits. Refused content is neither repeated nor logged. */
@Controller(KEYS_PATH)
export class CseKeysController {
  constructor(
    private readonly keys: EncryptionKeyService,
    private readonly requests: KeyRequests,
  ) {}

  /** Returns the key as JSON text, which is serialized once per key and not per page. */
  @Post()
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  key(@Req() { body, headers }: RequestWithBytes): string | Promise<string> {
    return this.keys.answer(this.requests.read(body?.toString() ?? '', headers['content-type']));
  }

  /** CORS has written the headers. */
  @Options()
  @HttpCode(204)
  preflight(): void {}
}
