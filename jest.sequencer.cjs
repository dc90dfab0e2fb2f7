const { relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');
/** Seconds of each longer file in a whole run: `npm run test:all -- --keep-seconds` writes them. A fresh clone, such as CI's, has no others. */
const kept = require('./jest.seconds.json');

/** As this machine's last run had it (Jest keeps that in its cache), else as the repository has it. */
const seconds = ({ path, duration }) =>
  duration === undefined ? (kept[relative(__dirname, path).replaceAll('\\', '/')] ?? 0) : duration / 1_000;

/** The longest files first: one that begins last would leave the other workers without work. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => seconds(other) - seconds(one));
  }
};
