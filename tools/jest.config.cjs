// commands/test.mjs is no test.
module.exports = { ...require('../jest.preset.cjs'), rootDir: __dirname, testMatch: ['<rootDir>/**/*.spec.mjs'] };
