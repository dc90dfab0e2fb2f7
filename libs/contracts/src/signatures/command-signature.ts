import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

/** Kafka header of a command with its detached JWS (RFC 7515, appendix F; EdDSA with Ed25519, RFC 8037). */
export const SIGNATURE_HEADER = 'tranche-signature';

/** Whose signature counts for a merchant's commands. */
export interface PublisherKey {
  kid: string;
  /** Ed25519, the 32 bytes of the key in base64url: `x` of its JWK. */
  publicKey: string;
  /** RFC 3339. A command that was made or appended before it is refused. */
  notBefore?: string;
  /** RFC 3339. A command that was made or appended after it is refused. */
  notAfter?: string;
  /** RFC 3339. From then on nothing that it signed counts, whenever that was made and appended, once the gateway has read the file again: at its start. */
  revokedAt?: string;
}

export interface CommandToSign {
  /** As the broker names it, with prefix. */
  topic: string;
  key: string | null;
  headers: Readonly<Record<string, string>>;
  value: Buffer | null;
}

export interface SigningKey {
  kid: string;
  /** Ed25519, as PEM or KeyObject. */
  privateKey: string | KeyObject;
  /** `ENVIRONMENT_ID` of the gateway that the commands are for: no other takes the signature. */
  environmentId?: string;
}

/** Who may have signed, for which environment, and the times at which the key must have been valid. */
export interface SignatureExpected {
  keys: readonly PublisherKey[];
  /** That of this gateway, where it has one. */
  environmentId: string | undefined;
  atMs: readonly number[];
  nowMs?: number;
}

/** Of an installation, so that what is signed for one counts in no other. */
export const ENVIRONMENT_ID_PATTERN = /^[a-z0-9-]{1,32}$/;

export type SignatureProblem =
  'missing' | 'malformed' | 'unknown_key' | 'key_revoked' | 'key_not_valid_then' | 'does_not_match';

/** `HEADER..SIGNATURE`, both in base64url; the content that stands between them in a whole JWS is `signedText`. */
export function signCommand(command: CommandToSign, { kid, privateKey, environmentId = '' }: SigningKey): string {
  if (environmentId !== '' && !ENVIRONMENT_ID_PATTERN.test(environmentId))
    throw new TypeError('environmentId must be 1 to 32 lower-case letters, digits and hyphens');
  const text = signedText(command, environmentId);
  if (text === undefined) throw new TypeError('a command with control characters in its key or headers is not signed');
  const header = base64url(JSON.stringify({ alg: 'EdDSA', kid }));
  const key = typeof privateKey === 'string' ? createPrivateKey(privateKey) : privateKey;
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError('commands are signed with an Ed25519 key');
  return `${header}..${sign(null, Buffer.from(`${header}.${base64url(text)}`), key).toString('base64url')}`;
}

/** Undefined where one of `keys` has signed the command for this environment. */
export async function signatureProblem(
  command: CommandToSign,
  { keys, environmentId, atMs, nowMs = Date.now() }: SignatureExpected,
): Promise<SignatureProblem | undefined> {
  const signature = command.headers[SIGNATURE_HEADER];
  if (signature === undefined) return 'missing';
  if (signature.length > MAX_SIGNATURE || !DETACHED.test(signature)) return 'malformed';
  const [header = '', , bytes = ''] = signature.split('.');
  const kid = kidOf(header);
  const text = signedText(command, environmentId);
  if (kid === undefined || text === undefined) return 'malformed';
  const key = keys.find((one) => one.kid === kid);
  if (key === undefined) return 'unknown_key';
  if (key.revokedAt !== undefined && nowMs >= Date.parse(key.revokedAt)) return 'key_revoked';
  if (!atMs.every((at) => isValidAt(key, at))) return 'key_not_valid_then';
  const content = Buffer.from(`${header}.${base64url(text)}`);
  // With a callback it is computed outside of the main thread.
  const isSound = await verifyAside(null, content, publicKeyOf(key), Buffer.from(bytes, 'base64url'));
  return isSound ? undefined : 'does_not_match';
}

const FIRST_LINE = 'tranche-command-v1';
const MAX_SIGNATURE = 1024;
const DETACHED = /^[\w-]+\.\.[\w-]{86}$/;
// A line break would let one part pass for two.
const CONTROL_CHARACTER = /[\0-\x1f\x7f]/;
const verifyAside = promisify(verify);

/**
 * What is signed, line by line: environment (empty where it has no id), topic, key, content-type and every CloudEvents attribute in the order of
 * their names, and the SHA-256 of the value in base64url. So a signature fits one message on one topic of one environment only.
 */
export function signedText({ topic, key, headers, value }: CommandToSign, environmentId = ''): string | undefined {
  const names = Object.keys(headers).filter((name) => name === 'content-type' || name.startsWith('ce_'));
  const parts = [environmentId, topic, key ?? '', ...names.sort().flatMap((name) => [name, headers[name] ?? ''])];
  if (parts.some((part) => CONTROL_CHARACTER.test(part)) || names.some((name) => name.includes(':'))) return undefined;
  return [
    FIRST_LINE,
    `environment:${environmentId}`,
    `topic:${topic}`,
    `key:${key ?? ''}`,
    ...names.map((name) => `${name}:${headers[name] ?? ''}`),
    `sha256:${createHash('sha256')
      .update(value ?? '')
      .digest('base64url')}`,
  ].join('\n');
}

/** Exactly these two members: a header that asks for more (`crit`, `b64`, another `alg`) is not understood. */
function kidOf(header: string): string | undefined {
  try {
    const read = JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as Record<string, unknown> | null;
    const isOurs = read !== null && Object.keys(read).sort().join() === 'alg,kid' && read.alg === 'EdDSA';
    return isOurs && typeof read.kid === 'string' ? read.kid : undefined;
  } catch {
    return undefined;
  }
}

function isValidAt({ notBefore, notAfter }: PublisherKey, atMs: number): boolean {
  const from = notBefore === undefined ? -Infinity : Date.parse(notBefore);
  const to = notAfter === undefined ? Infinity : Date.parse(notAfter);
  return atMs >= from && atMs <= to;
}

const publicKeys = new WeakMap<PublisherKey, KeyObject>();

function publicKeyOf(key: PublisherKey): KeyObject {
  const known = publicKeys.get(key);
  if (known) return known;
  const made = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.publicKey }, format: 'jwk' });
  publicKeys.set(key, made);
  return made;
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
