import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@tranche/testing';
import { cardCanary, secretCanary, type Canary } from './canaries.js';
import { plant, type DemoAccounts, type DemoMerchant, type Planted } from './planted.js';

export interface PlantedFolder {
  readonly planted: Planted;
  /** The planted canaries, the demo's operator key and the simulator's test cards. */
  readonly canaries: readonly Canary[];
  readonly merchantsFile: string;
  /** The same merchants, with an access token for every call. */
  readonly guardedMerchantsFile: string;
  readonly accountsFile: string;
  readonly personsFile: string;
  readonly operatorsFile: string;
}

export function plantFiles(folder: string): PlantedFolder {
  const planted = plant(demo<DemoMerchant[]>('merchants'), demo<DemoAccounts>('accounts'));
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: object) => {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
    return file;
  };
  const { accounts } = planted.files;
  const operators = demo<{ operator: string; key: string }[]>('operators');
  return {
    planted,
    canaries: [
      ...planted.canaries,
      ...operators.map(({ operator, key }) => secretCanary(`operator key of ${operator}`, key)),
      ...testCards().map((number) => cardCanary('test card', number, 'what the demo says')),
    ],
    merchantsFile: write('merchants', planted.files.merchants),
    guardedMerchantsFile: write(
      'guarded-merchants',
      planted.files.merchants.map((merchant) => ({ ...merchant, authAccount: planted.account })),
    ),
    accountsFile: write('accounts', accounts),
    personsFile: write('persons', { ...accounts, accounts: [...accounts.accounts, planted.files.person] }),
    operatorsFile: write('operators', planted.files.operators),
  };
}

const demo = <T>(name: string): T =>
  JSON.parse(readFileSync(join(repositoryRoot(), `config/${name}.demo.json`), 'utf8')) as T;

/** Reads the test cards that the demo and people pay with. */
function testCards(): string[] {
  const readme = readFileSync(join(repositoryRoot(), 'apps/platform-simulator/README.md'), 'utf8');
  return [...readme.matchAll(/`([0-9]{12,19})`/g)].map(([, number = '']) => number);
}
