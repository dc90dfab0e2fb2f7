import type { Merchant, Merchants } from '@tranche/contracts';
import { isDemoValue, isPublishedTestKey, isLoopback } from './production-faults.js';

const OWN_KEYS = ['accountKey', 'notificationKey', 'redirectKey'] as const;
const URLS = ['notificationUrl', 'returnUrl', 'pageUrl'] as const;
const KEY_AT_LEAST = 16;

/** Faults of a merchants file in production: demo keys, short keys, URLs without TLS. One sentence per merchant and kind. */
export function merchantsInProduction({ all }: Merchants): string[] {
  return all.flatMap((merchant) => [
    ...said(merchant, demoKeysOf(merchant), 'belongs to the demo. Use keys of your own account'),
    ...said(
      merchant,
      publishedKeysOf(merchant),
      'is the published test key, with which anybody can sign. Use a key of your own',
    ),
    ...shortKeysOf(merchant),
    ...said(merchant, plainUrlsOf(merchant), 'must start with https://'),
  ]);
}

export const SHORT_KEYS_WARNING =
  'Keys of these merchants are so short that they can be found by trying (TOPICS=check refuses that)';

/** HASH keys that the owner of a signed notification could find by brute force. */
export function shortKeysOfMerchants({ all }: Merchants): string[] {
  return all.flatMap(shortKeysOf);
}

/** Merchants without required signatures: anybody with write access to a command topic could command for them. */
export function unsignedMerchants({ all }: Merchants): string[] {
  return all.flatMap((merchant) => {
    if ((merchant.publisherKeys ?? []).length === 0) return said(merchant, ['publisherKeys'], 'must name who signs');
    return merchant.requireSignatures === true ? [] : said(merchant, ['requireSignatures'], 'must be true');
  });
}

function demoKeysOf(merchant: Merchant): string[] {
  return keysOfHash(merchant).flatMap(({ name, id, key }) => (isDemo(id) || isDemo(key) ? [name] : []));
}

function shortKeysOf(merchant: Merchant): string[] {
  const isShort = (key: string | undefined) => key !== undefined && Array.from(key).length < KEY_AT_LEAST;
  const names = keysOfHash(merchant).flatMap(({ name, key }) => (isShort(key) ? [name] : []));
  return said(merchant, names, `must have ${KEY_AT_LEAST} characters or more. Ask the platform for a longer key`);
}

function publishedKeysOf({ publisherKeys = [] }: Merchant): string[] {
  return publisherKeys.flatMap(({ publicKey }, at) => (isPublishedTestKey(publicKey) ? [`publisherKeys[${at}]`] : []));
}

const isDemo = (text: string | undefined): boolean => text !== undefined && isDemoValue(text);

/** All keys for HASH with the name of their field; an API key also has an id. */
function keysOfHash(merchant: Merchant): { name: string; id?: string; key: string | undefined }[] {
  const { previousKeys = {}, apiKeys = [] } = merchant;
  return [
    ...OWN_KEYS.map((name) => ({ name, key: merchant[name] })),
    ...Object.entries(previousKeys).map(([name, key]: [string, string | undefined]) => ({
      name: `previousKeys.${name}`,
      key,
    })),
    ...apiKeys.map(({ id, key }, at) => ({ name: `apiKeys[${at}]`, id, key })),
  ];
}

function plainUrlsOf(merchant: Merchant): string[] {
  const { returnPages = [] } = merchant;
  const urls = [
    ...URLS.map((name) => ({ name, url: merchant[name] })),
    ...returnPages.map(({ url }, at) => ({ name: `returnPages[${at}].url`, url })),
  ];
  return urls.flatMap(({ name, url }) => (url !== undefined && isPlain(url) ? [name] : []));
}

function isPlain(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol !== 'https:' && !isLoopback(hostname);
}

const said = ({ merchant }: Merchant, fields: readonly string[], what: string): string[] =>
  fields.length === 0 ? [] : [`${fields.join(', ')} of ${merchant} ${what}`];
