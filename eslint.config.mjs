import { readdirSync } from 'node:fs';
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

const only = (sourceTag, ...allowed) => ({ sourceTag: `type:${sourceTag}`, onlyDependOnLibsWithTags: allowed.map((tag) => `type:${tag}`) });

/** Who may import whom (docs/architecture.md). `testing` has no row for apps: only specs and the faults, which are one large test, import it. */
const boundaries = [
  only('contracts'),
  only('kafka', 'contracts'),
  only('platform', 'contracts'),
  only('order-journal', 'contracts'),
  only('service-kit', 'contracts'),
  only('client', 'contracts', 'kafka'),
  only('card-encryption'),
  only('testing', 'contracts', 'kafka', 'order-journal', 'service-kit'),
  only('service', 'contracts', 'platform', 'order-journal', 'kafka', 'service-kit'),
  only('simulator', 'contracts'),
  only('demo', 'client', 'card-encryption', 'contracts', 'service-kit'),
  only('example', 'client'),
  only('bench', 'contracts', 'platform', 'order-journal', 'kafka'),
  only('faults', 'contracts', 'platform', 'order-journal', 'kafka', 'testing'),
];
const boundariesOfSpecs = boundaries.map((row) => ({
  ...row,
  onlyDependOnLibsWithTags: [...row.onlyDependOnLibsWithTags, 'type:testing'],
}));
/** Specs of a library use the builders of testing, which uses the library's types. */
const ignoredCircularDependencies = ['contracts', 'kafka', 'order-journal', 'platform', 'service-kit'].map((name) => [
  `@tranche/${name}`,
  '@tranche/testing',
]);
const moduleBoundaries = (depConstraints) => ({
  '@nx/enforce-module-boundaries': [
    'error',
    { enforceBuildableLibDependency: false, banTransitiveDependencies: false, allow: [], ignoredCircularDependencies, depConstraints },
  ],
});

/** Apps export nothing, so Nx does not take such an import for one of a project. */
const noApps = {
  group: readdirSync(new URL('apps', import.meta.url)).flatMap((name) => [`@tranche/${name}`, `@tranche/${name}/*`]),
  message: 'Nobody imports an app.',
};
const restrictedImports = (...patterns) => ({ 'no-restricted-imports': ['error', { patterns: [noApps, ...patterns] }] });
const onlyInKafkaLib = { group: ['kafkajs', 'kafkajs/*'], message: 'Only libs/kafka imports kafkajs.' };
const ioModules = {
  group: [
    'node:fs',
    'node:fs/*',
    'node:net',
    'node:http',
    'node:https',
    'node:dns',
    'node:tls',
    'node:child_process',
    'fs',
    'net',
    'http',
    'https',
    'undici',
    'redis',
    'fastify',
    '@tranche/kafka',
    '@tranche/client',
  ],
  message: 'A file without an edge suffix is a pure rule: no I/O (docs/architecture.md).',
};
const edges = ['consumer', 'producer', 'controller', 'guard', 'filter', 'client', 'store', 'cache', 'service', 'module', 'config'];

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.nx/**', '.infra/**', '**/*.cjs'] },
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { project: './tsconfig.spec.json', tsconfigRootDir: import.meta.dirname } },
    plugins: { '@nx': nx },
    rules: {
      ...moduleBoundaries(boundaries),
      ...restrictedImports(onlyInKafkaLib),
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      'no-empty': 'error',
      eqeqeq: 'error',
    },
  },
  // Examples are what a commerce service writes: JavaScript, and of ours @tranche/client alone.
  {
    files: ['examples/**/*.mjs'],
    plugins: { '@nx': nx },
    rules: { ...moduleBoundaries(boundaries), ...restrictedImports(onlyInKafkaLib) },
  },
  // The peers that benches compare with use kafkajs as their users would.
  { files: ['libs/kafka/**/*.ts', 'bench/src/peers/**/*.ts'], rules: restrictedImports() },
  {
    files: ['apps/*/src/**/*.ts', 'libs/order-journal/src/**/*.ts', 'libs/platform/src/**/*.ts'],
    ignores: [...edges.map((edge) => `**/*.${edge}.ts`), '**/main.ts', '**/*.spec.ts'],
    rules: {
      ...restrictedImports(onlyInKafkaLib, ioModules),
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
          message: 'A pure rule takes the clock as an argument.',
        },
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'A pure rule takes the clock as an argument.' },
      ],
    },
  },
  {
    files: ['**/*.spec.ts', '**/test/**/*.ts', 'libs/testing/**/*.ts'],
    rules: {
      ...moduleBoundaries(boundariesOfSpecs),
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
    },
  },
);
