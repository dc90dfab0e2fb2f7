import { Controller, Header, HttpCode, Options, Post, Res } from '@nestjs/common';
import { PREFLIGHT, type Headers } from '../origins.js';
import { EncryptionKeyService } from './encryption-key.service.js';
import { UnreadBody } from './key-body.decorator.js';
import { KeyRequest } from './key-request.dto.js';
import { KeyRequestPipe } from './key-request.pipe.js';
import { KEYS_PATH } from './paths.js';

interface Reply {
  headers(values: Headers): Reply;
}

/** The guards admit only configured origins, within their limits, without card data. Refused content is neither repeated nor logged. */
@Controller(KEYS_PATH)
export class CseKeysController {
  constructor(private readonly keys: EncryptionKeyService) {}

  /** Returns the key as JSON text, which is serialized once per key and not per page. */
  @Post()
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  key(@UnreadBody(KeyRequestPipe) request: KeyRequest): string | Promise<string> {
    return this.keys.answer(request);
  }

  @Options()
  @HttpCode(204)
  preflight(@Res({ passthrough: true }) reply: Reply): void {
    reply.headers(PREFLIGHT);
  }
}
