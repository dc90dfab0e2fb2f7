import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@tranche/testing';

type DemoMerchant = { merchant: string };

/** Writes a MERCHANTS_FILE with the demo's merchants after `change`. */
export function writeMerchants(file: string, change: (merchants: DemoMerchant[]) => object[]): void {
  const demo = readFileSync(join(repositoryRoot(), 'config/merchants.demo.json'), 'utf8');
  writeFileSync(file, JSON.stringify(change(JSON.parse(demo) as DemoMerchant[])));
}
