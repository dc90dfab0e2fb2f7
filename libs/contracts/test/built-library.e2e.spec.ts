import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '../../..');
const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' });

beforeAll(() => {
  node(require.resolve('typescript/bin/tsc'), '-b', 'libs/contracts');
}, 120_000);

it('the committed schemas are those of the built classes', () => {
  expect(node('tools/tranche.mjs', 'generate-schemas', '--check')).toMatch(
    /^\d+ schemas and \d+ documents are current/,
  );
});

it('the compiler keeps the metadata of decorated properties', () => {
  const program = `import { PartnerAAuthorization as A } from '@tranche/contracts';
    console.log(['client', 'amount', 'cart'].map((name) => Reflect.getMetadata('design:type', A.prototype, name).name).join());`;
  expect(node('--input-type=module', '-e', program).trim()).toBe('PartnerAClient,Number,Array');
});

it('loads the demo merchants', () => {
  const program = `import { loadMerchants } from '@tranche/contracts'; console.log(String(loadMerchants('config/merchants.demo.json').all.length));`;
  expect(Number(node('--input-type=module', '-e', program))).toBeGreaterThanOrEqual(3);
});
