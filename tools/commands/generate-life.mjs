import { requireBuilt } from '../infra/built.mjs';
import { Expected } from '../infra/processes.mjs';

export const description = 'writes docs/reference/life-of-an-order.md by running the built fold';
export const options = { check: { help: 'writes nothing, and fails if the document is stale' } };
export const exitCodes = { 1: 'libs/order-journal is not built, or with --check the document is stale' };

export async function run({ options: { check } }) {
  requireBuilt('libs/order-journal/dist/index.js');
  const { DOCUMENT, isCurrent, writeDocument } = await import('../checks/life-of-an-order.mjs');
  if (check && !isCurrent())
    throw new Expected(
      `${DOCUMENT} is stale: run \`npm run build && node tools/tranche.mjs generate-life\` and commit it`,
    );
  if (!check) writeDocument();
  console.log(`${DOCUMENT} is ${check ? 'current' : 'written'}`);
}
