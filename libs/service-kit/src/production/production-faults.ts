import type { ConfigFault, Declaration, ProductionView } from '../config.js';
import { Secret } from '../secret.js';

const DEMO = 'is one of the demo, which everybody knows. Use one of your own';

/**
 * Faults that only a demo may have: demo secrets, URLs without TLS, a Redis without a password, and each setting's own rule
 * (`inProduction`). Unreadable settings already have faults.
 */
export function productionFaults(
  config: object,
  declarations: readonly Declaration[],
  plaintextHosts: readonly string[],
): ConfigFault[] {
  const isProtected = (host: string) => isLoopback(host) || plaintextHosts.includes(host);
  const view: ProductionView = { config, isProtected };
  return declarations.flatMap(({ name, property, type, items, inProduction }) => {
    const value: unknown = Reflect.get(config, property);
    if (value === undefined) return [];
    const urls = items === 'url' ? (value as (string | URL)[]) : type === URL ? [value as URL] : [];
    const messages = [
      ...urls.flatMap((url) => faultsOfUrl(new URL(url), isProtected)),
      ...demoSecretsIn(value),
      ...(inProduction?.(value, view) ?? []),
    ];
    return [...new Set(messages)].map((message) => ({ name, message }));
  });
}

function faultsOfUrl({ protocol, hostname, password }: URL, isProtected: (host: string) => boolean): string[] {
  const faults: string[] = [];
  const isRedis = protocol === 'redis:' || protocol === 'rediss:';
  if ((protocol === 'http:' || protocol === 'redis:') && !isProtected(hostname))
    faults.push(`must start with ${isRedis ? 'rediss' : 'https'}://: the way to another machine needs TLS`);
  if (isRedis && password === '' && !isLoopback(hostname))
    faults.push('has no password: whoever reaches that Redis can change what is remembered of payments');
  if (isDemoValue(decodeURIComponent(password))) faults.push(`has a password that ${DEMO}`);
  return faults;
}

/** Finds demo secrets at any depth, also those of accounts, callers and operators, and names the owner. */
function demoSecretsIn(value: unknown, field = '', owner = ''): string[] {
  if (value instanceof Secret) {
    const what = [field, owner && `of ${owner}`].filter(Boolean).join(' ');
    return isDemoValue(value.reveal()) ? [[what, DEMO].filter(Boolean).join(' ')] : [];
  }
  if (Array.isArray(value)) return value.flatMap((one) => demoSecretsIn(one, field, owner));
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  const { account, caller, operator } = value as Record<string, unknown>;
  const name = [operator, caller, account].find((one) => typeof one === 'string') ?? owner;
  return Object.entries(value).flatMap(([key, one]) => demoSecretsIn(one, key, name));
}

/** Prefix of keys and passwords in config/*.demo.json and in the tools. The demo's API key ids consist of zeros and one letter. */
const DEMO_SECRET = /^demo-/i;
const DEMO_ID = /^0{8}-0{4}-4000-8000-0{11}[0-9a-f]$/i;

/** True if the secret, or the id of one, is published in this repository. */
export const isDemoValue = (text: string): boolean => DEMO_SECRET.test(text) || DEMO_ID.test(text);

/** `x` of the key in libs/contracts/vectors; its private half is published there too. */
const PUBLISHED_TEST_KEY = 'A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg';

/** True if the private half of this key is published, so that everybody can sign with it. */
export const isPublishedTestKey = (publicKey: string): boolean => publicKey === PUBLISHED_TEST_KEY;

/** Matches this machine: traffic to it crosses no network, so it needs no TLS. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

/** @param broker `host:port`, as in KAFKA_BROKERS */
export const hostOfBroker = (broker: string): string => broker.slice(0, broker.lastIndexOf(':'));
