import { All, Controller } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import { KEYS_PATH, NOTHING_PATH } from './paths.js';

/** Answers all other URLs and methods; such a request counts for its address and origin like any other. */
@Controller(NOTHING_PATH)
export class NothingHereController {
  @All()
  nothing(): never {
    throw new Problem({ status: 404, code: 'not_found', detail: `There is only POST ${KEYS_PATH} here.` });
  }
}
