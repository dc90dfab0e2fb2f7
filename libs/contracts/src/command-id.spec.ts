import { commandIdTimeMs } from './content-hash.js';

// Example of RFC 9562, appendix A.6.
const ID = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';

it.each([
  ['version 7', ID, 1_645_557_742_000],
  ['version 7 in capitals', ID.toUpperCase(), 1_645_557_742_000],
  ['version 4', '919108f7-52d1-4320-9bac-f847db4148a8', undefined],
  ['version 7 of another variant', '017f22e2-79b0-7cc3-18c4-dc0c0c07398f', undefined],
  ['version 7 with more behind it', `${ID}-2`, undefined],
  ['another shape', 'order-7-capture', undefined],
])('the time of an id: %s', (_what, id, timeMs) => expect(commandIdTimeMs(id)).toBe(timeMs));
