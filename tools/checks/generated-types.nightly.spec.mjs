/** The page "From another language" shows how types are made from the schemas. The packages come from PyPI and npm. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const SCHEMAS = 'libs/contracts/schemas';
const page = readFileSync('docs/from-another-language.md', 'utf8');
const [section] = page.split('## Types from the schemas').slice(1);
const [ofPython, ofTypeScript] = [...section.matchAll(/```sh\n([\s\S]*?)\n```/g)].map(([, code]) => code);
const asyncapi = JSON.parse(readFileSync('libs/contracts/asyncapi.json', 'utf8'));

let folder;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-types-'));
  for (const file of readdirSync(SCHEMAS).filter((name) => name.endsWith('.json')))
    cpSync(join(SCHEMAS, file), join(folder, SCHEMAS, file));
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (command, input) => {
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', command], { cwd: folder, encoding: 'utf8', input });
  return { status, printed: stdout + stderr };
};

const hasPython = spawnSync('python3', ['-c', 'import ensurepip, venv']).status === 0;
if (!hasPython) console.warn('Skipped: types for Python, because python3 has no ensurepip and venv here');

(hasPython ? it : it.skip)(
  'types for Python take every example of a command and of an event',
  () => {
    expect(run(ofPython)).toMatchObject({ status: 0 });
    const classes = Object.values(asyncapi.components.messages).flatMap(({ payload, examples }) => {
      const [, name] = /\/([\w-]+)$/.exec(payload.$ref ?? '') ?? [];
      if (name === undefined || examples === undefined) return [];
      const isEvent = /^Payment\w+$/.test(name);
      const module = (isEvent ? 'payment-event' : name).replaceAll('-', '_');
      const own = isEvent ? name : JSON.parse(readFileSync(join(SCHEMAS, `${name}.json`), 'utf8')).title;
      return examples.map((example) => [`tranche_types.${module}`, own, example.payload]);
    });
    expect(classes.length).toBeGreaterThan(40);
    writeFileSync(join(folder, 'take.py'), TAKE);
    expect(run('.venv/bin/python -W error take.py', JSON.stringify(classes))).toEqual({
      status: 0,
      printed: `${classes.length} taken\n`,
    });
  },
  600_000,
);

it('types for TypeScript compile', () => {
  expect(run(ofTypeScript)).toMatchObject({ status: 0 });
  const files = readdirSync(join(folder, 'tranche-types'));
  expect(files).toHaveLength(readdirSync(join(folder, SCHEMAS)).length);
  const compiler = resolve('node_modules/typescript7/bin/tsc');
  writeFileSync(join(folder, 'read.ts'), READ);
  expect(
    run(`"${process.execPath}" "${compiler}" --noEmit --strict --skipLibCheck false read.ts tranche-types/*.ts`),
  ).toEqual({
    status: 0,
    printed: '',
  });
}, 600_000);

const TAKE = `
import importlib, json, sys

classes = json.load(sys.stdin)
for module, name, payload in classes:
    getattr(importlib.import_module(module), name).model_validate(payload)
print(len(classes), "taken")
`;

const READ = `
import type { Capture } from './tranche-types/capture';
import type { PaymentCaptureSucceeded, PaymentPayRedirectRequired } from './tranche-types/payment-event';

export const capture: Capture = { merchant: 'shop-fr', orderId: 'order-1', description: 'Shipped', amount: 1 };
export const orderOf = (event: PaymentCaptureSucceeded): string => event.orderId;
export const own: Pick<PaymentCaptureSucceeded, 'orderId'> = { orderId: 'order-1' };
const order = { merchant: 'shop-fr', orderId: 'order-1', commandId: 'command-1' };
export const redirect: PaymentPayRedirectRequired = { ...order, redirectHtml: 'PGh0bWw+' };
// @ts-expect-error: a capture without an order
export const incomplete: Capture = { merchant: 'shop-fr', description: 'Shipped' };
`;
