/** Transforms with @swc/jest, but compiles the file that the project's `globals.mutant` names from the mutant's source. */
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { createTransformer } = require('@swc/jest');

const root = join(__dirname, '../..');

module.exports = {
  createTransformer(options) {
    const swc = createTransformer(options);
    const textOf = (source, path, { config }) => (path === join(root, config.globals.mutant?.file ?? ' ') ? readFileSync(config.globals.mutant.path, 'utf8') : source); // prettier-ignore
    return {
      canInstrument: false,
      process: (source, path, settings) => swc.process(textOf(source, path, settings), path, settings),
      getCacheKey: (source, path, settings) =>
        createHash('sha256').update([path, textOf(source, path, settings), JSON.stringify(options)].join('\0')).digest('hex'), // prettier-ignore
    };
  },
};
