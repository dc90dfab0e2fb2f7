import type { Merchant, Merchants } from '@tranche/contracts';
import { isDemoValue } from './demo-values.js';
import { isLoopback } from './hosts.js';

const OWN_KEYS = ['accountKey', 'notificationKey', 'redirectKey'] as const;
const URLS = ['notificationUrl', 'returnUrl', 'pageUrl'] as const;

/** What no merchants file of a real shop may hold: keys of the demo, addresses without TLS. One sentence a merchant. */
export function merchantsInProduction({ all }: Merchants): string[] {
  return all.flatMap((merchant) => [
    ...said(merchant, demoKeysOf(merchant), 'belongs to the demo. Use keys of your own account'),
    ...said(merchant, plainUrlsOf(merchant), 'must start with https://'),
  ]);
}

/** Who writes a command topic could otherwise command for every merchant of the file. */
export function unsignedMerchants({ all }: Merchants): string[] {
  return all.flatMap((merchant) => {
    if ((merchant.publisherKeys ?? []).length === 0) return said(merchant, ['publisherKeys'], 'must name who signs');
    return merchant.requireSignatures === true ? [] : said(merchant, ['requireSignatures'], 'must be true');
  });
}

function demoKeysOf(merchant: Merchant): string[] {
  const { previousKeys = {}, apiKeys = [] } = merchant;
  const isDemo = (text: string | undefined) => text !== undefined && isDemoValue(text);
  return [
    ...OWN_KEYS.filter((name) => isDemo(merchant[name])),
    ...Object.entries(previousKeys).flatMap(([name, key]) => (isDemo(key) ? [`previousKeys.${name}`] : [])),
    ...apiKeys.flatMap(({ id, key }, at) => (isDemo(id) || isDemo(key) ? [`apiKeys[${at}]`] : [])),
  ];
}

function plainUrlsOf(merchant: Merchant): string[] {
  return URLS.filter((name) => {
    const text = merchant[name];
    if (text === undefined) return false;
    const { protocol, hostname } = new URL(text);
    return protocol !== 'https:' && !isLoopback(hostname);
  });
}

const said = ({ merchant }: Merchant, fields: readonly string[], what: string): string[] =>
  fields.length === 0 ? [] : [`${fields.join(', ')} of ${merchant} ${what}`];
