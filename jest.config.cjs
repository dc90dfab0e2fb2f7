// All tests of the repository in one run. UNIT=1: only those that need no infrastructure.
module.exports = {
  ...require('./jest.preset.cjs'),
  rootDir: __dirname,
  testMatch: ['<rootDir>/{apps,libs,examples,tools,verification}/**/*.spec.{ts,mjs,cjs}'],
  ...(process.env.UNIT
    ? {}
    : { globalSetup: '<rootDir>/jest.stages.mjs', globalTeardown: '<rootDir>/jest.stages-end.mjs' }),
  testSequencer: '<rootDir>/jest.sequencer.cjs',
};
