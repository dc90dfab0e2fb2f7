import { existsSync, readdirSync } from 'node:fs';
import nx from '@nx/eslint-plugin';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

const only = (sourceTag, ...allowed) => ({
  sourceTag: `type:${sourceTag}`,
  onlyDependOnLibsWithTags: allowed.map((tag) => `type:${tag}`),
});
const within = (sourceTag, ...allowed) => ({
  sourceTag: `scope:${sourceTag}`,
  onlyDependOnLibsWithTags: [sourceTag, ...allowed].map((tag) => `scope:${tag}`),
});

/**
 * This table says who may import whom (docs/guide/1-a-payment.md), by what a project is and by what it is about. `testing` has no row for apps: only specs and
 * verification, which is one large test, import it.
 */
const boundaries = [
  only('runtime'),
  only('contracts', 'runtime'),
  only('kafka', 'contracts', 'runtime'),
  only('platform', 'contracts', 'runtime'),
  only('order-journal', 'contracts', 'runtime'),
  only('service-kit', 'contracts', 'runtime', 'platform', 'order-journal', 'kafka'),
  only('operators', 'contracts', 'runtime', 'service-kit'),
  only('client', 'contracts', 'runtime', 'kafka'),
  only('card-encryption'),
  only('testing', 'contracts', 'runtime', 'kafka', 'order-journal', 'service-kit'),
  only('service', 'contracts', 'runtime', 'platform', 'order-journal', 'kafka', 'service-kit', 'operators'),
  only('simulator', 'contracts'),
  only('page', 'order-journal'),
  only('demo', 'client', 'card-encryption', 'contracts', 'runtime', 'service-kit'),
  only('example', 'client'),
  only(
    'verification',
    'contracts',
    'runtime',
    'platform',
    'order-journal',
    'kafka',
    'service-kit',
    'operators',
    'client',
    'card-encryption',
    'testing',
  ),
  within('shared'),
  within('payments', 'shared'),
  within('access', 'shared'),
  within('shop', 'shared'),
  within('simulator', 'shared'),
  within('verification', 'shared', 'payments', 'shop'),
];
const boundariesOfSpecs = boundaries.map((row) => ({
  ...row,
  onlyDependOnLibsWithTags: [...row.onlyDependOnLibsWithTags, 'type:testing'],
}));
/** Specs of a library use the builders of testing, which uses the library's types. */
const ignoredCircularDependencies = ['contracts', 'kafka', 'order-journal', 'platform', 'runtime', 'service-kit'].map(
  (name) => [`@tranche/${name}`, '@tranche/testing'],
);
const moduleBoundaries = (depConstraints) => ({
  '@nx/enforce-module-boundaries': [
    'error',
    {
      enforceBuildableLibDependency: false,
      banTransitiveDependencies: false,
      allow: [],
      ignoredCircularDependencies,
      // A test of client loads it late, which says nothing about how client itself loads it.
      checkDynamicDependenciesExceptions: ['@tranche/kafka'],
      depConstraints,
    },
  ],
});

/** Apps export nothing, so Nx does not take such an import for one of a project. */
const noApps = {
  group: readdirSync(new URL('apps', import.meta.url)).flatMap((name) => [`@tranche/${name}`, `@tranche/${name}/*`]),
  message: 'Nobody imports an app.',
};
const restrictedImports = (...patterns) => ({
  'no-restricted-imports': ['error', { patterns: [noApps, ...patterns] }],
});
const onlyInKafkaLib = { regex: '^kafkajs(/|$)', message: 'Only libs/kafka/src/kafkajs imports kafkajs.' };
const onlyInNestPart = {
  group: ['@nestjs/*', 'rxjs', 'rxjs/*', '@tranche/kafka/nest'],
  message: 'The main entry works without Nest and rxjs: what needs them is in the sub-path /nest.',
};
const noPackages = { regex: '^(?!\\.|node:|@tranche/)', message: 'libs/runtime has no dependencies.' };
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
  message: 'libs/platform and the state of an order are pure rules: no I/O (docs/guide/1-a-payment.md).',
};

const collectedSignal = {
  selector:
    "CallExpression[callee.object.name='AbortSignal'][callee.property.name='any'] CallExpression[callee.object.name='AbortSignal'][callee.property.name='timeout']",
  message:
    'Node 20 may collect such a signal before its time: it never aborts. Abort a controller by setTimeout instead.',
};
const privateByHash = {
  selector: ":matches(PropertyDefinition, MethodDefinition[kind!='constructor'])[accessibility='private']",
  message: 'A private member is written #name: nobody outside reaches it at run time either.',
};
const noSpreadLiteral = {
  selector: 'ObjectExpression > SpreadElement > ObjectExpression',
  message: 'Write the properties themselves: a spread of a literal says nothing more.',
};
const clockMessage = 'A pure rule takes the clock as an argument.';
const noClock = {
  selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
  message: clockMessage,
};
const noNewDate = { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: clockMessage };
/** A block of settings replaces the rule of those before it, so each block names all of its selectors. */
const restrictedSyntax = (...selectors) => ({ 'no-restricted-syntax': ['error', collectedSignal, ...selectors] });

const HIDDEN_SUBJECT = /^[\s*]*(What|Whatever|Of|Whether|Where|Wherever|Who|Whoever|Whose|Which|Whichever|How)\b/;

/** Refuses a comment whose opening leaves out who does something: the reader has to guess the subject. */
const commentSubject = {
  create: (context) => ({
    Program() {
      let before;
      for (const comment of context.sourceCode.getAllComments()) {
        const isSecondLine =
          comment.type === 'Line' && before?.type === 'Line' && before.loc.end.line === comment.loc.start.line - 1;
        if (!isSecondLine && HIDDEN_SUBJECT.test(comment.value))
          context.report({ loc: comment.loc, message: 'Begin the comment with who or what does something.' });
        before = comment;
      }
    },
  }),
};

/** The types of one project where it is linted alone (`nx lint NAME`), of all where the whole repository is. */
const tsconfigRootDir = existsSync('tsconfig.spec.json') ? process.cwd() : import.meta.dirname;

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.nx/**', '.infra/**', '**/*.cjs'] },
  {
    plugins: { tranche: { rules: { 'comment-subject': commentSubject } } },
    rules: { 'tranche/comment-subject': 'error' },
  },
  { rules: restrictedSyntax() },
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.{ts,tsx}'] })),
  {
    files: ['**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { project: './tsconfig.spec.json', tsconfigRootDir } },
    plugins: { '@nx': nx },
    rules: {
      ...moduleBoundaries(boundaries),
      ...restrictedImports(onlyInKafkaLib),
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true, ignoreUsingDeclarations: true }],
      'no-empty': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['{apps,libs}/**/*.{ts,tsx}'],
    rules: restrictedSyntax(privateByHash),
  },
  {
    files: ['{apps,libs}/**/*.{ts,tsx}'],
    ignores: ['**/*.spec.ts', '**/test/**', 'apps/operations{,-console}/**'],
    rules: restrictedSyntax(privateByHash, noSpreadLiteral),
  },
  // Its members run for each record: they stay as they are until a measurement shows that # costs nothing there.
  { files: ['libs/kafka/**/*.ts'], rules: restrictedSyntax() },
  { files: ['libs/kafka/src/**/*.ts'], ignores: ['**/*.spec.ts'], rules: restrictedSyntax(noSpreadLiteral) },
  // An expression that backtracks lets one message hold up all others: code that reads input takes time in proportion to it.
  {
    files: ['{apps,libs,examples}/**/*.{ts,tsx,mjs}'],
    ignores: ['**/*.spec.ts', '**/test/**', 'libs/testing/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': 'error',
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  // The page takes types alone of our libraries: their code is for Node.js. It speaks to operations by its OpenAPI document.
  {
    files: ['apps/operations-console/src/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-imports': 'off',
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            noApps,
            { group: ['@tranche/*'], allowTypeImports: true, message: 'A page takes only types of a library.' },
            { group: ['node:*'], message: 'A page runs in a browser.' },
          ],
        },
      ],
    },
  },
  // Examples are what a commerce service writes: JavaScript, and of ours @tranche/client alone.
  {
    files: ['examples/**/*.mjs'],
    plugins: { '@nx': nx },
    rules: { ...moduleBoundaries(boundaries), ...restrictedImports(onlyInKafkaLib) },
  },
  // The peers that benches compare with use kafkajs as their users would; brokers are asked past our own library.
  {
    files: [
      'libs/kafka/{src/kafkajs,test}/**/*.ts',
      'libs/kafka/**/*.spec.ts',
      'libs/testing/src/bombs.ts',
      'libs/testing/src/topics.ts',
      'verification/bench/{profiler,visits,peers/**/*}.ts',
      'verification/faults/kafka-cluster.ts',
    ],
    rules: restrictedImports(),
  },
  {
    files: ['libs/kafka/src/**/*.ts'],
    ignores: ['libs/kafka/src/{kafkajs,nest}/**', 'libs/kafka/src/nest.ts', '**/*.spec.ts'],
    rules: restrictedImports(onlyInKafkaLib, onlyInNestPart),
  },
  {
    files: ['libs/kafka/src/kafkajs/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: restrictedImports(onlyInNestPart),
  },
  {
    files: ['libs/client/src/**/*.ts'],
    ignores: ['libs/client/src/nest.ts', '**/*.spec.ts'],
    rules: restrictedImports(onlyInKafkaLib, onlyInNestPart),
  },
  { files: ['libs/runtime/src/**/*.ts'], ignores: ['**/*.spec.ts'], rules: restrictedImports(noPackages) },
  {
    files: ['libs/order-journal/src/state/**/*.ts', 'libs/platform/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      ...restrictedImports(onlyInKafkaLib, ioModules),
      ...restrictedSyntax(privateByHash, noSpreadLiteral, noClock, noNewDate),
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
