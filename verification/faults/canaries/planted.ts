import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@tranche/testing';
import { bytesCanary, cardCanary, secretCanary, type Canary } from './canaries.js';

interface DemoMerchant {
  readonly merchant: string;
}

interface DemoAccounts {
  readonly accounts: readonly { readonly account: string }[];
  readonly callers: readonly { readonly caller: string }[];
}

/** Names and addresses of the demo's merchants and accounts are kept, while every key of theirs becomes another. */
export function plant(merchants: readonly DemoMerchant[], { accounts, callers }: DemoAccounts) {
  const canaries: Canary[] = [];
  const secret = (name: string): string => {
    const value = `canary-${name.replaceAll(' ', '-')}-${randomBytes(24).toString('hex')}`;
    canaries.push(secretCanary(name, value));
    return value;
  };
  const card = (name: string, allowedIn?: Canary['allowedIn']): string => {
    const number = newCardNumber();
    canaries.push(cardCanary(name, number, allowedIn));
    return number;
  };
  const encryptionKey = randomBytes(32);
  canaries.push(bytesCanary('TOKEN_ENCRYPTION_KEY', encryptionKey));
  const apiKeyId = randomUUID();
  const serviceKeys = new Map(callers.map(({ caller }) => [caller, secret(`service key of ${caller}`)]));
  const ofServices = {
    accounts: accounts.map((one) => ({ ...one, clientSecret: secret(`client secret of ${one.account}`) })),
    callers: callers.map((caller) => ({ ...caller, key: serviceKeys.get(caller.caller) })),
  };
  const person = {
    ...{ account: 'canary-person', grant: 'password', username: 'canary', scope: '/realms/canary' },
    password: secret('password'),
  };
  return {
    canaries,
    files: {
      /** They need an access token for every call. */
      merchants: merchants.map((merchant, index) => ({
        ...merchant,
        authAccount: accounts[0]?.account,
        accountKey: secret(`account key of ${merchant.merchant}`),
        notificationKey: secret(`notification key of ${merchant.merchant}`),
        redirectKey: secret(`redirect key of ${merchant.merchant}`),
        previousKeys: { notification: secret(`previous notification key of ${merchant.merchant}`) },
        apiKeys: [{ id: index === 0 ? apiKeyId : randomUUID(), key: secret(`API key of ${merchant.merchant}`) }],
      })),
      accounts: ofServices,
      persons: { ...ofServices, accounts: [...ofServices.accounts, person] },
      operators: [{ operator: 'canary', key: secret('operator key'), role: 'approver' }],
    },
    person,
    apiKeyId,
    serviceKey: serviceKeys.get('payment-gateway') ?? '',
    tokenEncryptionKey: encryptionKey.toString('base64'),
    /** Sent encrypted to the tokenizer, and in the clear to services that must not get it. */
    card: { number: card('card number'), cvv: String(randomInt(1_000, 10_000)) },
    cardInCommand: card('card number in a command', 'the command that was refused for it'),
  };
}

/** Secrets that occur nowhere else, and the path of each file in which services find them. */
export type Planted = ReturnType<typeof plantFiles>;

export function plantFiles(folder: string) {
  const demo = (name: string): unknown =>
    JSON.parse(readFileSync(join(repositoryRoot(), `config/${name}.demo.json`), 'utf8'));
  const planted = plant(demo('merchants') as DemoMerchant[], demo('accounts') as DemoAccounts);
  const own = mkdtempSync(join(folder, 'canaries-'));
  const paths = Object.entries(planted.files).map(([name, content]) => {
    const path = join(own, `${name}.json`);
    writeFileSync(path, JSON.stringify(content), { mode: 0o600 });
    return [name, path];
  });
  return { ...planted, files: Object.fromEntries(paths) as Record<keyof typeof planted.files, string> };
}

/**
 * Returns 16 digits that pass the Luhn check, of an issuer that the simulator knows. The last four select no code of the simulator, and
 * differ from the 000 of its test cards.
 */
export function newCardNumber(): string {
  const begin = `49701012${String(randomInt(1, 1_000)).padStart(3, '0')}`;
  return [...Array(10).keys()].map((digit) => `${begin}${digit}0016`).find(passesLuhn)!;
}

export function passesLuhn(number: string): boolean {
  const weighted = [...number].reverse().map((digit, index) => Number(digit) * (1 + (index % 2)));
  return weighted.reduce((sum, value) => sum + (value > 9 ? value - 9 : value), 0) % 10 === 0;
}
