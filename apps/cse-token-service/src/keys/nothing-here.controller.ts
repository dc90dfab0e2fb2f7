import { All, Controller } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import { KEYS_PATH, NOTHING_PATH } from './paths.js';

/** What comes to any other address, or with another method: it costs its address and origin as much as a request for a key. */
@Controller(NOTHING_PATH)
export class NothingHereController {
  @All()
  nothing(): never {
    throw new Problem({ status: 404, code: 'not_found', detail: `There is only POST ${KEYS_PATH} here.` });
  }
}
