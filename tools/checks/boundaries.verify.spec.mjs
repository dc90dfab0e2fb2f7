import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const BOUNDARIES = '@nx/enforce-module-boundaries';
const RESTRICTED = 'no-restricted-imports';
const COMMENT = 'tranche/comment-subject';

/** The linted texts need real paths: ESLint takes a text's project, and so its types, from where the file lies. */
const FILES = {
  contracts: 'libs/contracts/src/topics.ts',
  contractsSpec: 'libs/contracts/src/topics.spec.ts',
  runtime: 'libs/runtime/src/time.ts',
  kafka: 'libs/kafka/src/topics/topics.ts',
  kafkajs: 'libs/kafka/src/kafkajs/kafka-client.ts',
  kafkaNest: 'libs/kafka/src/nest/kafka.module.ts',
  platform: 'libs/platform/src/operation-form.ts',
  platformSpec: 'libs/platform/src/operation-form.spec.ts',
  journal: 'libs/order-journal/src/state/fold.ts',
  kit: 'libs/service-kit/src/secret.ts',
  client: 'libs/client/src/index.ts',
  clientNest: 'libs/client/src/nest.ts',
  clientSpec: 'libs/client/src/commands.spec.ts',
  cardEncryption: 'libs/card-encryption/src/index.ts',
  testing: 'libs/testing/src/builders.ts',
  rule: 'libs/order-journal/src/state/guards.ts',
  ruleSpec: 'libs/order-journal/src/state/fold.spec.ts',
  service: 'apps/payment-gateway/src/command/payment-platform.service.ts',
  config: 'apps/auth-service/src/auth.config.ts',
  simulator: 'apps/platform-simulator/src/transactions/execution.service.ts',
  shop: 'apps/checkout-demo/src/main.ts',
  page: 'apps/checkout-demo/page/checkout.ts',
  console: 'apps/operations-console/src/api/client.ts',
  example: 'examples/quickstart/quickstart.mjs',
  bench: 'verification/bench/main.ts',
  peer: 'verification/bench/peers/callers.ts',
  faults: 'verification/main.ts',
};

const importing = (...modules) =>
  modules.map((module, index) => `import * as m${index} from '${module}';\nexport { m${index} };\n`).join('');

const FORBIDDEN = [
  ['contracts imports kafka', 'contracts', importing('@tranche/kafka'), BOUNDARIES],
  ['contracts imports service-kit', 'contracts', importing('@tranche/service-kit'), BOUNDARIES],
  ['contracts imports testing outside a spec', 'contracts', importing('@tranche/testing'), BOUNDARIES],
  ['contracts imports order-journal', 'contracts', importing('@tranche/order-journal'), BOUNDARIES],
  ['runtime imports contracts', 'runtime', importing('@tranche/contracts'), BOUNDARIES],
  ['runtime imports kafka', 'runtime', importing('@tranche/kafka'), BOUNDARIES],
  ['runtime imports a package', 'runtime', importing('prom-client'), RESTRICTED],
  ['kafka imports kafkajs outside of its folder', 'kafka', importing('kafkajs'), RESTRICTED],
  ['kafka imports Nest outside of its sub-path', 'kafka', importing('@nestjs/common'), RESTRICTED],
  ['kafka imports rxjs outside of its sub-path', 'kafkajs', importing('rxjs'), RESTRICTED],
  ['client imports Nest outside of its sub-path', 'client', importing('@nestjs/common'), RESTRICTED],
  ["client imports kafka's part for Nest", 'client', importing('@tranche/kafka/nest'), RESTRICTED],
  ['the simulator imports runtime', 'simulator', importing('@tranche/runtime'), BOUNDARIES],
  ['kafka imports an app', 'kafka', importing('@tranche/payment-gateway'), RESTRICTED],
  ['kafka imports service-kit', 'kafka', importing('@tranche/service-kit'), BOUNDARIES],
  ['kafka imports order-journal', 'kafka', importing('@tranche/order-journal'), BOUNDARIES],
  ['contracts imports platform', 'contracts', importing('@tranche/platform'), BOUNDARIES],
  ['platform imports order-journal', 'platform', importing('@tranche/order-journal'), BOUNDARIES],
  ['platform imports kafka', 'platform', importing('@tranche/kafka'), BOUNDARIES],
  ['platform imports service-kit', 'platform', importing('@tranche/service-kit'), BOUNDARIES],
  ['platform imports undici', 'platform', importing('undici'), RESTRICTED],
  ['platform asks for the time', 'platform', 'export const now = () => Date.now();\n', 'no-restricted-syntax'],
  ['order-journal imports platform', 'journal', importing('@tranche/platform'), BOUNDARIES],
  ['client imports platform', 'client', importing('@tranche/platform'), BOUNDARIES],
  ['the shop imports platform', 'shop', importing('@tranche/platform'), BOUNDARIES],
  ['the simulator imports platform', 'simulator', importing('@tranche/platform'), BOUNDARIES],
  ['order-journal imports kafka', 'journal', importing('@tranche/kafka'), BOUNDARIES],
  ['service-kit imports client', 'kit', importing('@tranche/client'), BOUNDARIES],
  ['client imports service-kit', 'client', importing('@tranche/service-kit'), BOUNDARIES],
  ['client imports order-journal', 'client', importing('@tranche/order-journal'), BOUNDARIES],
  ['client imports card-encryption', 'client', importing('@tranche/card-encryption'), BOUNDARIES],
  ['client imports kafkajs', 'client', importing('kafkajs'), RESTRICTED],
  ['contracts imports client', 'contracts', importing('@tranche/client'), BOUNDARIES],
  ['card-encryption imports contracts', 'cardEncryption', importing('@tranche/contracts'), BOUNDARIES],
  ['card-encryption imports client', 'cardEncryption', importing('@tranche/client'), BOUNDARIES],
  ['the shop imports kafka', 'shop', importing('@tranche/kafka'), BOUNDARIES],
  ['the shop imports order-journal', 'shop', importing('@tranche/order-journal'), BOUNDARIES],
  ['the shop imports an app', 'shop', importing('@tranche/platform-simulator'), RESTRICTED],
  ['the console imports kafka', 'console', importing('@tranche/kafka'), BOUNDARIES],
  [
    'the console imports more than types',
    'console',
    importing('@tranche/order-journal'),
    '@typescript-eslint/no-restricted-imports',
  ],
  ['the console imports Node', 'console', importing('node:fs'), '@typescript-eslint/no-restricted-imports'],
  ['the page imports kafka', 'page', importing('@tranche/kafka'), BOUNDARIES],
  ['an example imports kafka', 'example', importing('@tranche/kafka'), BOUNDARIES],
  ['an example imports contracts', 'example', importing('@tranche/contracts'), BOUNDARIES],
  ['an example imports kafkajs', 'example', importing('kafkajs'), RESTRICTED],
  ['a service imports client', 'service', importing('@tranche/client'), BOUNDARIES],
  ['a service imports card-encryption', 'service', importing('@tranche/card-encryption'), BOUNDARIES],
  ['the simulator imports card-encryption', 'simulator', importing('@tranche/card-encryption'), BOUNDARIES],
  ['the simulator imports order-journal', 'simulator', importing('@tranche/order-journal'), BOUNDARIES],
  ['the simulator imports service-kit', 'simulator', importing('@tranche/service-kit'), BOUNDARIES],
  ['an app imports an app', 'service', importing('@tranche/auth-service'), RESTRICTED],
  [
    'an app imports an app by a relative path',
    'service',
    importing('../../../auth-service/src/accounts.js'),
    BOUNDARIES,
  ],
  [
    'an app imports a library by a relative path',
    'service',
    importing('../../../../libs/contracts/src/topics.js'),
    BOUNDARIES,
  ],
  ['an app imports testing outside a spec', 'service', importing('@tranche/testing'), BOUNDARIES],
  ['an app imports kafkajs', 'service', importing('kafkajs'), RESTRICTED],
  ['bench imports kafkajs outside its peers', 'bench', importing('kafkajs'), RESTRICTED],
  ['bench imports an app', 'bench', importing('@tranche/payment-gateway'), RESTRICTED],
  ['faults imports an app', 'faults', importing('@tranche/payment-gateway'), RESTRICTED],
  [
    'verification imports an app by a relative path',
    'faults',
    importing('../apps/auth-service/src/accounts.js'),
    BOUNDARIES,
  ],
  ['a pure rule imports node:fs', 'rule', importing('node:fs'), RESTRICTED],
  ['a pure rule imports redis', 'rule', importing('redis'), RESTRICTED],
  ['a pure rule imports kafka', 'rule', importing('@tranche/kafka'), RESTRICTED],
  ['a pure rule imports kafkajs', 'rule', importing('kafkajs'), RESTRICTED],
  ['order-journal imports node:fs', 'journal', importing('node:fs'), RESTRICTED],
  ['a pure rule asks for the time', 'rule', 'export const now = () => Date.now();\n', 'no-restricted-syntax'],
  ['a pure rule makes a date of now', 'rule', 'export const now = () => new Date();\n', 'no-restricted-syntax'],
  [
    'a promise is not awaited',
    'service',
    'export function go(): void {\n  Promise.resolve();\n}\n',
    '@typescript-eslint/no-floating-promises',
  ],
  [
    'a comment hides its subject',
    'kit',
    '/**\n * What was lost may have been sent.\n */\nexport const x = 1;\n',
    COMMENT,
  ],
  ['a comment behind code hides its subject', 'kit', 'export const x = 1; // Where it began.\n', COMMENT],
  ['any', 'service', 'export const x = (y: any) => y as string;\n', '@typescript-eslint/no-explicit-any'],
];

const ALLOWED = [
  [
    'a service imports its six libraries',
    'service',
    ['contracts', 'platform', 'order-journal', 'kafka', 'service-kit', 'operators'].map((name) => `@tranche/${name}`),
  ],
  ['an edge imports node:fs', 'config', ['node:fs']],
  ['a pure rule imports contracts and runtime', 'rule', ['@tranche/contracts', '@tranche/runtime']],
  ['a spec imports testing', 'ruleSpec', ['@tranche/testing']],
  ['platform imports contracts', 'platform', ['@tranche/contracts']],
  ['a spec of platform imports testing', 'platformSpec', ['@tranche/testing']],
  ['a spec of contracts imports testing', 'contractsSpec', ['@tranche/testing']],
  ['kafka imports contracts and runtime', 'kafka', ['@tranche/contracts', '@tranche/runtime']],
  ['the folder for kafkajs imports it', 'kafkajs', ['kafkajs', '@tranche/contracts']],
  ["kafka's part for Nest imports Nest and rxjs", 'kafkaNest', ['@nestjs/common', 'rxjs']],
  ["client's part for Nest imports Nest", 'clientNest', ['@nestjs/common', '@nestjs/core']],
  ['runtime imports Node', 'runtime', ['node:timers/promises']],
  ['contracts imports runtime', 'contracts', ['@tranche/runtime']],
  ['order-journal imports runtime', 'journal', ['@tranche/runtime']],
  ['service-kit imports kafka and runtime', 'kit', ['@tranche/kafka', '@tranche/kafka/nest', '@tranche/runtime']],
  ['a spec of client imports testing', 'clientSpec', ['@tranche/testing']],
  ['client imports contracts and kafka', 'client', ['@tranche/contracts', '@tranche/runtime', '@tranche/kafka']],
  [
    'the shop imports client, contracts and service-kit',
    'shop',
    ['client', 'contracts', 'service-kit'].map((name) => `@tranche/${name}`),
  ],
  [
    'the page loads card-encryption when it is needed',
    'page',
    "export const load = () => import('@tranche/card-encryption');\n",
  ],
  [
    'the console imports types of order-journal',
    'console',
    "import type { OrderState } from '@tranche/order-journal';\nexport type Shown = OrderState;\n",
  ],
  ['an example imports client', 'example', ['@tranche/client']],
  [
    'bench and faults import what is measured',
    'bench',
    ['contracts', 'platform', 'order-journal', 'kafka', 'service-kit', 'client', 'card-encryption'].map(
      (name) => `@tranche/${name}`,
    ),
  ],
  ['a peer of a bench imports kafkajs', 'peer', ['kafkajs']],
  ['faults, one large test, imports testing', 'faults', ['@tranche/testing']],
  ['testing imports contracts', 'testing', ['@tranche/contracts']],
  ['the simulator imports contracts', 'simulator', ['@tranche/contracts']],
];

let found;

beforeAll(() => {
  const env = { ...process.env, NX_DAEMON: 'false' };
  // Without Nx's project graph the boundaries rule reports nothing, and every case would pass.
  const graph = spawnSync('node_modules/.bin/nx', ['show', 'projects'], { env, encoding: 'utf8' });
  if (graph.status !== 0) throw new Error(graph.stderr);
  const cases = [
    ...FORBIDDEN,
    ...ALLOWED.map(([name, file, modules]) => [name, file, Array.isArray(modules) ? importing(...modules) : modules]),
  ];
  const input = JSON.stringify(cases.map(([, file, text, rule]) => ({ filePath: FILES[file], text, rule })));
  const lint = spawnSync(process.execPath, ['tools/checks/test/lint-texts.mjs'], {
    env,
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 24,
  });
  if (lint.status !== 0) throw new Error(lint.stderr);
  found = new Map(JSON.parse(lint.stdout).map((messages, index) => [cases[index][0], messages]));
}, 180_000);

describe('the import boundaries', () => {
  it('are checked on files that exist', () => {
    expect(Object.values(FILES).filter((file) => !existsSync(file))).toEqual([]);
  });

  it.each(FORBIDDEN)('forbid: %s', (name, _file, _text, rule) => {
    expect(found.get(name).map(({ ruleId }) => ruleId)).toContain(rule);
  });

  it.each(ALLOWED)('allow: %s', (name) => {
    expect(found.get(name)).toEqual([]);
  });
});
