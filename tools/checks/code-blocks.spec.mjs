import { checkOfBlock, codeBlocks } from './code-blocks.mjs';

const known = {
  files: new Set(['apps/payment-gateway/README.md', 'examples/quickstart/quickstart.mjs']),
  textOf: () => '  const one = 1;\n  use(one);\n\n  const two = 2;\n',
  scripts: ['stack', 'docs'],
  commands: { docs: new Set(['serve']) },
  routes: ['/v1/orders/{merchant}/{orderId}'],
  tranche: ".command('find') --since",
};
const faults = (language, code, document = 'docs/operate/runbook.md') =>
  checkOfBlock({ document, language, code }, known).faults;

it('finds every block with its language and line, also in a list', () => {
  const text = '# A\n\n```js\none\n```\n\n1. b\n\n   ```sh\n   two\n   ```\n';
  expect(codeBlocks('a.md', text)).toEqual([
    { document: 'a.md', language: 'js', code: 'one\n', line: 3 },
    { document: 'a.md', language: 'sh', code: '   two\n', line: 9 },
  ]);
});

it.each([
  ['sh', 'npm run stack'],
  ['sh', 'npm run docs -- --serve'],
  ['sh', 'curl "$GATEWAY/v1/orders/shop-fr/order-1"'],
  ['sh', 'tranche commands find ID --since 7d'],
  ['sh', 'node examples/quickstart/quickstart.mjs'],
  ['json', '{"a": 1}'],
])('%s that names what is there passes: %s', (language, code) => expect(faults(language, code)).toEqual([]));

it.each([
  ['sh', 'npm run stakc', 'there is no script stakc'],
  ['sh', 'npm run docs -- --port 1', 'docs has no option --port'],
  ['sh', 'curl "$GATEWAY/v1/order/shop-fr"', 'no service has the route /v1/order/shop-fr'],
  ['sh', 'tranche commands look ID', 'tranche commands has no look'],
  ['sh', 'tranche commands find --until 1d', 'tranche has no option --until'],
  ['sh', 'node examples/gone.mjs', 'examples/gone.mjs does not exist'],
  ['sh', 'if true', expect.stringContaining('sh -n')],
  ['json', '{a: 1}', expect.stringContaining('no JSON')],
  ['ts', 'const x = 1;', 'no file that is compiled or run has this code'],
  ['xml', '<a/>', 'nothing checks this block of xml'],
])('%s is refused: %s', (language, code, fault) => expect(faults(language, code)).toEqual([fault]));

it('code must stand in a file that is compiled or run, paragraph by paragraph', () => {
  const inClient = (code) => faults('ts', code, 'libs/client/README.md');
  expect(inClient("import { a } from 'b';\n\nconst one = 1;\nuse(one);\n")).toEqual([]);
  expect(inClient('const two = 3;')).toEqual(['libs/client/test/readme-examples.ts lacks: const two = 3;']);
});

it('a picture names services that exist', () => {
  expect(faults('mermaid', 'a[payment-gateway] --> b[fraud-service]', 'README.md')).toEqual([
    'there is no service fraud-service',
  ]);
});
