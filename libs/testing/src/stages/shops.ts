import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../apps.js';

/** RFC 8410: the bytes before an Ed25519 key in PKCS #8. */
const PKCS8_OF_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** As for shop-fr: the simulator only records the notifications. */
const NOBODY = 'http://127.0.0.1:4020/notifications';

/** Signs for shop-signed, and for the shop of the shop stage. Constant, because specs run in other processes than the stage. */
export const publisherOfTests = (): { kid: string; privateKey: KeyObject } => ({
  kid: 'k1',
  privateKey: createPrivateKey({
    key: Buffer.concat([PKCS8_OF_ED25519, Buffer.alloc(32, 7)]),
    format: 'der',
    type: 'pkcs8',
  }),
});

/** The public half, as `publisherKeys` of the merchants file has it. */
export function publisherKeyOfTests(): { kid: string; publicKey: string } {
  const { kid, privateKey } = publisherOfTests();
  const { x: publicKey = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { kid, publicKey };
}

/** An operator's key on the shared gateway; `demo` has the one in config/operators.demo.json. */
export const operatorKey = (operator: 'alice' | 'bob' | 'second' | 'viewer' | 'limited'): string =>
  `${operator}-key-of-a-test-and-not-a-real-one`;

/** Merchants that differ from the demo's shop-fr in one setting, so that a spec for it needs no gateway of its own. */
function shops(): Record<string, object> {
  return {
    'shop-francs': { currency: 'CHF', returnPages: [{ name: 'app', url: 'https://app.example/paid' }] },
    'shop-approval': { approvalAboveMinor: 1 },
    'shop-supersedes': { supersedeDoubtfulForms: true },
    'shop-signed': { publisherKeys: [publisherKeyOfTests()], requireSignatures: true },
    // For the specs that stop their intake, one each.
    'shop-stopped': {},
    'shop-paused': {},
    // For the spec of what an operator of one merchant sees of others.
    'shop-of-others': {},
    'shop-held': {},
    // For jobs that are made at the page; two people decide.
    'shop-page': { approvalAboveMinor: 1 },
    // For the spec that closes many doubts at once.
    'shop-many': {},
    // For the spec that publishes many dead letters again.
    'shop-replayed': {},
    // For a spec that reads a list or metric by merchant. One person is enough for a resolution that something succeeded.
    'shop-counted': { approvalAboveMinor: 100_000_000 },
  };
}

interface FilesOfShops {
  readonly merchantsFile: string;
  readonly operatorsFile: string;
  remove(): void;
}

export function writeShops(): FilesOfShops {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-shops-'));
  const merchantsFile = join(folder, 'merchants.json');
  const operatorsFile = join(folder, 'operators.json');
  const further = Object.entries(shops()).map(([merchant, settings]) => ({
    merchant,
    identifier: `Test ${merchant}`,
    accountKey: `test-account-key-of-${merchant}`,
    market: 'FR',
    currency: 'EUR',
    notificationUrl: NOBODY,
    returnUrl: NOBODY,
    ...settings,
  }));
  writeFileSync(merchantsFile, JSON.stringify([...demo('merchants'), ...further]));
  writeFileSync(
    operatorsFile,
    JSON.stringify([
      ...demo('operators'),
      ...(['alice', 'bob', 'second'] as const).map((operator) => ({
        operator,
        key: operatorKey(operator),
        role: 'approver',
      })),
      { operator: 'limited', key: operatorKey('limited'), role: 'approver', merchants: ['shop-fr'] },
      { operator: 'viewer', key: operatorKey('viewer'), role: 'viewer', merchants: ['shop-fr'] },
    ]),
  );
  return { merchantsFile, operatorsFile, remove: () => rmSync(folder, { recursive: true }) };
}

const demo = (name: 'merchants' | 'operators'): object[] =>
  JSON.parse(readFileSync(join(repositoryRoot(), `config/${name}.demo.json`), 'utf8')) as object[];
