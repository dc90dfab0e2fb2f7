// Jest runs CommonJS: SWC turns our TypeScript and the ESM-only packages into it (docs/decisions/0074). A package is loaded when something of
// it is first used (`lazy`): Jest compiles every module anew for each file, and most files use few of those that they import.
const swc = (typescript) => [
  '@swc/jest',
  {
    swcrc: false,
    sourceMaps: true,
    module: { type: 'commonjs', lazy: true },
    jsc: {
      target: 'es2022',
      keepClassNames: true,
      parser: typescript ? { syntax: 'typescript', decorators: true } : { syntax: 'ecmascript' },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    },
  },
];

const esmOnly = 'oauth4webapi|cookie|@nestjs|file-type|strtok3|token-types|uint8array-extras|@tokenizer|@borewit|jose';

const { UNIT, NIGHTLY } = process.env;
const ofAll = NIGHTLY ? [] : ['\\.nightly\\.'];
const leftOut = [...ofAll, ...(UNIT ? ['\\.e2e\\.spec\\.'] : NIGHTLY ? [] : ['\\.verify\\.'])];

module.exports = {
  testEnvironment: 'node',
  runtime: `${__dirname}/jest.runtime.cjs`,
  // End-to-end tests wait for events, not for time; a loaded machine is slow, not wrong.
  testTimeout: 120_000,
  setupFiles: ['reflect-metadata', `${__dirname}/jest.fetch.cjs`],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@tranche/([^/]+)$': `${__dirname}/libs/$1/src/index.ts`,
    '^@tranche/([^/]+)/([^/]+)$': `${__dirname}/libs/$1/src/$2.ts`,
  },
  transform: { '^.+\\.ts$': swc(true), '^.+\\.m?js$': swc(false) },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly})/)`],
  // UNIT=1: what needs no infrastructure, which `npm run verify` runs, with what is about the repository (*.verify.spec.*).
  // NIGHTLY=1: everything, also what is long, exotic or measures time and memory (*.nightly.*). Else: `npm test`.
  testPathIgnorePatterns: ['/node_modules/', '/dist/', ...leftOut],
  cacheDirectory: `${__dirname}/node_modules/.cache/jest`,
  modulePathIgnorePatterns: ['/dist/', '<rootDir>/.infra/', '<rootDir>/.nx/'],
};
