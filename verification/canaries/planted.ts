import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { bytesCanary, cardCanary, secretCanary, type Canary } from './canaries.js';

interface PlantedPerson {
  readonly account: string;
  readonly grant: 'password';
  readonly username: string;
  readonly password: string;
  readonly scope: string;
}

interface PlantedAccounts {
  readonly accounts: object[];
  readonly callers: object[];
}

export interface PlantedFiles {
  readonly merchants: object[];
  readonly accounts: PlantedAccounts;
  readonly person: PlantedPerson;
  readonly operators: object[];
}

/** Secrets that occur nowhere else, and the files in which services find them. */
export interface Planted {
  readonly canaries: readonly Canary[];
  readonly files: PlantedFiles;
  readonly apiKeyId: string;
  readonly account: string;
  readonly serviceKey: string;
  readonly tokenEncryptionKey: string;
  /** Sent encrypted to the tokenizer, and in the clear to services that must not get it. */
  readonly card: { readonly number: string; readonly cvv: string };
  readonly cardInCommand: string;
}

/**
 * @param merchants the demo's, whose names and addresses are kept while every key of theirs becomes another
 * @param accounts the demo's, likewise
 */
export function plant(merchants: readonly DemoMerchant[], accounts: DemoAccounts): Planted {
  const canaries: Canary[] = [];
  const secret = (name: string): string => {
    const value = `canary-${name.replaceAll(' ', '-')}-${randomBytes(24).toString('hex')}`;
    canaries.push(secretCanary(name, value));
    return value;
  };
  const card = (name: string, options: Parameters<typeof cardCanary>[2] = undefined): string => {
    const number = newCardNumber();
    canaries.push(cardCanary(name, number, options));
    return number;
  };
  const encryptionKey = randomBytes(32);
  canaries.push(bytesCanary('TOKEN_ENCRYPTION_KEY', encryptionKey));

  const account = accounts.accounts[0]?.account ?? '';
  const apiKeyId = randomUUID();
  const serviceKeys = new Map(accounts.callers.map(({ caller }) => [caller, secret(`service key of ${caller}`)]));
  return {
    files: {
      merchants: merchants.map((merchant, index) => ({
        ...merchant,
        accountKey: secret(`account key of ${merchant.merchant}`),
        notificationKey: secret(`notification key of ${merchant.merchant}`),
        redirectKey: secret(`redirect key of ${merchant.merchant}`),
        previousKeys: { notification: secret(`previous notification key of ${merchant.merchant}`) },
        apiKeys: [{ id: index === 0 ? apiKeyId : randomUUID(), key: secret(`API key of ${merchant.merchant}`) }],
      })),
      accounts: {
        accounts: accounts.accounts.map((one) => ({ ...one, clientSecret: secret(`client secret of ${one.account}`) })),
        callers: accounts.callers.map((caller) => ({ ...caller, key: serviceKeys.get(caller.caller) })),
      },
      person: {
        account: 'canary-person',
        grant: 'password',
        username: 'canary',
        password: secret('password'),
        scope: '/realms/canary',
      },
      operators: [{ operator: 'canary', key: secret('operator key'), role: 'approver' }],
    },
    account,
    apiKeyId,
    serviceKey: serviceKeys.get(GATEWAY) ?? '',
    tokenEncryptionKey: encryptionKey.toString('base64'),
    card: { number: card('card number'), cvv: String(randomInt(1_000, 10_000)) },
    cardInCommand: card('card number in a command', 'the command that was refused for it'),
    canaries,
  };
}

const GATEWAY = 'payment-gateway';

export interface DemoMerchant {
  readonly merchant: string;
}

export interface DemoAccounts {
  readonly accounts: { readonly account: string }[];
  readonly callers: { readonly caller: string }[];
}

/**
 * Returns 16 digits that pass the Luhn check, of an issuer that the simulator knows. The last four select no code of the simulator, and
 * differ from the 000 of its test cards.
 */
export function newCardNumber(): string {
  const begin = `49701012${String(randomInt(1, 1_000)).padStart(3, '0')}`;
  const fitting = [...Array(10).keys()].map((digit) => `${begin}${digit}0016`).find(passesLuhn);
  if (fitting === undefined) throw new Error('no digit makes a card number');
  return fitting;
}

export function passesLuhn(number: string): boolean {
  const weighted = [...number].reverse().map((digit, index) => Number(digit) * (1 + (index % 2)));
  return weighted.reduce((sum, value) => sum + (value > 9 ? value - 9 : value), 0) % 10 === 0;
}
