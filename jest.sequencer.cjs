const { basename } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Seconds of the longest suites on 2 cores. A fresh clone has no timings of its own, and Jest would start the largest files first: the longest
 * suite then begins last, and the second worker has nothing left to do. Rough figures do: only their order counts.
 */
const SECONDS = {
  'simulated-faults.e2e.spec.mjs': 400,
  'real-faults.e2e.spec.mjs': 150,
  'simulate.spec.ts': 115,
  'kafka-keeps-the-contract.e2e.spec.ts': 65,
  'instalments-variants.nightly.browser.e2e.spec.ts': 60,
  'demo.e2e.spec.mjs': 60,
  'at-most-once-reload-and-back.nightly.browser.e2e.spec.ts': 50,
  'three-gateways.e2e.spec.ts': 48,
  'boundaries.spec.mjs': 46,
  'failures-on-the-way.nightly.browser.e2e.spec.ts': 46,
  'ten-thousand-commands.e2e.spec.ts': 45,
  'requests-are-limited.nightly.e2e.spec.ts': 40,
  'look-up-settles-a-doubt.e2e.spec.ts': 36,
  'second-url.e2e.spec.ts': 33,
  'card-variants.nightly.browser.e2e.spec.ts': 32,
};

const seconds = ({ path }) => SECONDS[basename(path)] ?? 0;

/** The longest suites first; all others in Jest's own order. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => seconds(other) - seconds(one));
  }
};
