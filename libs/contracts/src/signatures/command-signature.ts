import { createPrivateKey, createPublicKey, hash, sign, verify, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { decodeCloudEvent } from '../cloud-events.js';
import { Optional, Text } from '../validation/fields.js';
import { isTimestamp } from '../validation/texts.js';

/** Kafka header with a command's detached JWS (RFC 7515, appendix F; EdDSA with Ed25519, RFC 8037). */
export const SIGNATURE_HEADER = 'tranche-signature';

/** Name of a publisher's key, 1 to 64 characters. */
export const KID_PATTERN = /^[\w.-]*$/;

const Time = () => Text(1, 64, { test: isTimestamp, says: 'an RFC 3339 time-stamp' });

/** A key whose signatures are valid for a merchant's commands. */
export class PublisherKey {
  @Text(1, 64, { pattern: KID_PATTERN, says: 'letters, digits, hyphens, dots and underscores' })
  kid!: string;

  /** Ed25519 public key: the 32 bytes in base64url, `x` of its JWK. */
  @Text(43, 43, {
    test: isEd25519PublicKey,
    says: 'the 32 bytes of an Ed25519 key in base64url, no point of small order',
  })
  publicKey!: string;

  /** A command that was made or appended earlier is refused. */
  @Optional()
  @Time()
  notBefore?: string;

  /** A command that was made or appended later is refused. */
  @Optional()
  @Time()
  notAfter?: string;

  /** From then on no signature of the key is valid, not even for older commands. The gateway reads this at its start only. */
  @Optional()
  @Time()
  revokedAt?: string;
}

export interface CommandToSign {
  /** Full topic name, with prefix. */
  topic: string;
  key: string | null;
  headers: Readonly<Record<string, string>>;
  value: Buffer | null;
}

export interface SigningKey {
  kid: string;
  /** Ed25519, as PEM or KeyObject. */
  privateKey: string | KeyObject;
  /** `ENVIRONMENT_ID` of the target gateway; gateways with another one refuse the signature. */
  environmentId?: string;
}

/** Accepted keys, the environment, and the times (milliseconds since the epoch) at which the key must have been valid. */
interface SignatureExpected {
  keys: readonly PublisherKey[];
  /** `ENVIRONMENT_ID` of this gateway, if it has one. */
  environmentId: string | undefined;
  atMs: readonly number[];
  nowMs?: number;
}

/** Identifies an installation, so that a signature for one is not valid in another. */
export const ENVIRONMENT_ID_PATTERN = /^[a-z0-9-]{1,32}$/;

export const SIGNATURE_PROBLEMS = [
  ...(['missing', 'malformed', 'unknown_key'] as const),
  ...(['key_revoked', 'key_not_valid_then', 'does_not_match'] as const),
] as const;
export type SignatureProblem = (typeof SIGNATURE_PROBLEMS)[number];

/**
 * Returns `HEADER..SIGNATURE`, both in base64url, over the detached payload `signedText`.
 * @throws TypeError if the key, the headers or the environment cannot be signed
 */
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

/** Resolves to undefined if one of `keys` signed the command for this environment, else to the reason. */
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
  // With a callback, Node.js verifies in its thread pool and does not block the event loop.
  const isSound = await verifyAside(null, content, publicKeyOf(key), Buffer.from(bytes, 'base64url'));
  return isSound ? undefined : 'does_not_match';
}

const FIRST_LINE = 'tranche-command-v1';
const MAX_SIGNATURE = 1024;
const DETACHED = /^[\w-]+\.\.[\w-]{86}$/;
// A line break in one part could imitate another part.
const CONTROL_CHARACTER = /[\0-\x1f\x7f]/;
const verifyAside = promisify(verify);

/**
 * The signed text, one line each: environment (empty if there is no id), topic, key, content-type and all CloudEvents attributes sorted
 * by name, and the value's SHA-256 in base64url. A signature is therefore valid for one message on one topic of one environment. Returns
 * undefined if a part contains control characters.
 */
export function signedText({ topic, key, headers, value }: CommandToSign, environmentId = ''): string | undefined {
  const names = Object.keys(headers).filter((name) => name === 'content-type' || name.startsWith('ce_'));
  const lines = [`environment:${environmentId}`, `topic:${topic}`, `key:${key ?? ''}`];
  for (const name of names.sort()) lines.push(`${name}:${headers[name] ?? ''}`);
  if (lines.some((line) => CONTROL_CHARACTER.test(line)) || names.some((name) => name.includes(':'))) return undefined;
  return [FIRST_LINE, ...lines, `sha256:${hash('sha256', value ?? '', 'base64url')}`].join('\n');
}

/** Key id that a signature names, if the signature has the form of one. Not verified: anybody can write any id. */
export function signatureKid(signature: string): string | undefined {
  return signature.length <= MAX_SIGNATURE && DETACHED.test(signature)
    ? kidOf(signature.split('.')[0] ?? '')
    : undefined;
}

/** Accepts only the members `alg` and `kid`. A header with more (`crit`, `b64`) would demand processing that we do not do. */
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

/** A merchant's settings about signatures. */
interface SignatureRules {
  publisherKeys?: readonly PublisherKey[];
  requireSignatures?: boolean;
}

/**
 * Checks the signature of a command. A signature must be made for this environment. Its key must have been valid when the command was made and when
 * Kafka appended it, so that waiting commands survive a change of keys.
 * @returns undefined where the merchant's commands need no signature and this one has none that could be checked
 */
export async function commandSignatureProblem(
  record: CommandToSign & { timestampMs: number },
  { publisherKeys = [], requireSignatures = false }: SignatureRules,
  environmentId: string | undefined,
): Promise<SignatureProblem | 'verified' | undefined> {
  const isSigned = record.headers[SIGNATURE_HEADER] !== undefined;
  if (!requireSignatures && (!isSigned || publisherKeys.length === 0)) return undefined;
  const madeMs = Date.parse(record.headers.ce_time ?? decodeCloudEvent(record).event?.time ?? '');
  const expected = { keys: publisherKeys, environmentId, atMs: [madeMs, record.timestampMs] };
  return (await signatureProblem(record, expected)) ?? 'verified';
}

const P = 2n ** 255n - 19n;

/**
 * The y coordinates of the eight points of small order. For such a public key, anybody can make a valid signature without a private key.
 */
const Y_OF_SMALL_ORDER: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  P - 1n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
]);

/** Accepts 32 bytes in canonical base64url with y below the field's size that are not a point of small order. */
export function isEd25519PublicKey(x: string): boolean {
  const bytes = Buffer.from(x, 'base64url');
  if (bytes.length !== 32 || bytes.toString('base64url') !== x) return false;
  // Bytes are little-endian; the top bit is the sign of x.
  const y = BigInt(`0x${bytes.reverse().toString('hex')}`) & (2n ** 255n - 1n);
  return y < P && !Y_OF_SMALL_ORDER.has(y);
}
