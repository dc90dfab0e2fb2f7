// All tests of the repository in one run. UNIT=1: only those that need no infrastructure.
module.exports = {
  ...require('./jest.preset.cjs'),
  rootDir: __dirname,
  testMatch: ['<rootDir>/{apps,libs,examples,tools,verification}/**/*.spec.{ts,mjs,cjs}'],
  testSequencer: '<rootDir>/jest.sequencer.cjs',
};
