import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  SIGNATURE_HEADER,
  signatureProblem,
  signCommand,
  signedText,
  type CommandToSign,
  type SigningKey,
} from './command-signature.js';

interface Vector {
  what: string;
  environmentId: string;
  topic: string;
  key: string;
  headers: Record<string, string>;
  value: string;
  signature: string;
}
const vectors = JSON.parse(readFileSync(join(__dirname, '../../vectors/command-signatures.json'), 'utf8')) as {
  key: { kid: string; d: string; x: string };
  commands: Vector[];
};
const { kid, d, x } = vectors.key;
const { environmentId } = vectors.commands[0]!;
const privateKey = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' });
const KEY = { kid, publicKey: x, notBefore: '2026-01-01T00:00:00Z', notAfter: '2026-12-31T00:00:00Z' };
const AT = Date.parse('2026-03-01T10:00:00Z');
const commandOf = ({ topic, key, headers, value }: Vector): CommandToSign => ({
  ...{ topic, key, headers },
  value: Buffer.from(value),
});
const signed = (command: CommandToSign, by: SigningKey = { kid, privateKey, environmentId }): CommandToSign => ({
  ...command,
  headers: { ...command.headers, [SIGNATURE_HEADER]: signCommand(command, by) },
});
const sound = commandOf(vectors.commands[0]!);
const problem = (command: CommandToSign, keys = [KEY], atMs = [AT], environment: string | undefined = environmentId) =>
  signatureProblem(command, { keys, environmentId: environment, atMs });

describe('the test vectors', () => {
  it.each(vectors.commands)('$what: signed and verified here', async (vector) => {
    const command = commandOf(vector);
    const by = { kid, privateKey, environmentId: vector.environmentId };
    expect(signCommand(command, by)).toBe(vector.signature);
    expect(await problem(signed(command, by), [KEY], [AT], vector.environmentId)).toBeUndefined();
  });
});

it.each([
  ['missing', sound],
  ['malformed', { ...sound, headers: { ...sound.headers, [SIGNATURE_HEADER]: 'x' } }],
  ['malformed', withHeader({ alg: 'none', kid })],
  ['malformed', withHeader({ alg: 'EdDSA', kid, crit: ['b64'], b64: false })],
  ['malformed', { ...signed(sound), key: 'shop-fr/o\ntopic:x' }],
  ['unknown_key', withHeader({ alg: 'EdDSA', kid: 'other' })],
] as const)('is refused: %s', async (expected, command) => {
  expect(await problem(command)).toBe(expected);
});

describe('a signature that was made for an environment', () => {
  const by = (environment?: string) => ({
    kid,
    privateKey,
    ...(environment === undefined ? {} : { environmentId: environment }),
  });

  it.each([
    ['the same', 'staging', 'staging', undefined],
    ['another', 'staging', 'production', 'does_not_match'],
    ['one whose name begins alike', 'production', 'production-2', 'does_not_match'],
    ['one without a name', 'staging', undefined, 'does_not_match'],
    ['any, where it was made for none', undefined, 'production', 'does_not_match'],
    ['one without a name, where it was made for none', undefined, undefined, undefined],
  ])('is judged in %s', async (_which, made, judged, expected) => {
    expect(await signatureProblem(signed(sound, by(made)), { keys: [KEY], environmentId: judged, atMs: [AT] })).toBe(
      expected,
    );
  });

  it('is the second line of what is signed', () => {
    expect(signedText(sound, 'staging')?.split('\n').slice(0, 3)).toEqual([
      'tranche-command-v1',
      'environment:staging',
      `topic:${sound.topic}`,
    ]);
    expect(signedText(sound)?.split('\n')[1]).toBe('environment:');
  });

  it.each(['Production', 'a b', 'a\ntopic:x', 'x'.repeat(33)])('is not made for %j', (environment) => {
    expect(() => signCommand(sound, by(environment))).toThrow('environmentId');
  });
});

it('counts only while the key was valid, when the command was made and when it was appended', async () => {
  const [early, late] = ['2025-12-31T23:59:59Z', '2026-12-31T00:00:01Z'].map((time) => Date.parse(time)) as [
    number,
    number,
  ];
  for (const at of [
    [early, AT],
    [AT, early],
    [late, AT],
    [AT, late],
    [NaN, AT],
  ])
    // prettier-ignore
    expect(await problem(signed(sound), [KEY], at)).toBe('key_not_valid_then');
});

/** Number of attempts per kind of forgery. */
const EACH = process.env.NIGHTLY ? 1_200 : 60;

it('accepts none of many forged, replayed and re-keyed commands', async () => {
  const foreign = generateKeyPairSync('ed25519').privateKey;
  const own = signed(sound);
  const signature = own.headers[SIGNATURE_HEADER]!;
  const start = signature.indexOf('..') + 2;
  const withSignature = (text: string) => ({ ...own, headers: { ...own.headers, [SIGNATURE_HEADER]: text } });
  const names = Object.keys(sound.headers);
  const forged: ((n: number) => CommandToSign)[] = [
    // A wrong key under a known id, and the right key under unknown ids.
    (n) => signed({ ...sound, value: Buffer.from(`{"n":${n}}`) }, { kid, privateKey: foreign, environmentId }),
    (n) => signed(sound, { kid: `key-${n}`, privateKey, environmentId }),
    // A valid signature on another topic, order, merchant, id or content.
    (n) => ({ ...own, topic: `${own.topic}${n}` }),
    (n) => ({ ...own, key: `shop-es/order-${n}` }),
    (n) => ({ ...own, headers: { ...own.headers, ce_id: `another-${n}` } }),
    (n) => ({ ...own, headers: { ...own.headers, [names[n % names.length]!]: `other ${n}` } }),
    (n) => ({ ...own, headers: { ...own.headers, [`ce_more${n}`]: 'x' } }),
    (n) => ({ ...own, value: flipped(own.value!, n) }),
    (n) => ({ ...own, value: Buffer.concat([own.value!, Buffer.alloc(n + 1, 32)]) }),
    // A signature with one flipped bit.
    (n) => withSignature(signature.slice(0, start) + flipped(Buffer.from(signature.slice(start), 'base64url'), n).toString('base64url')),
  ]; // prettier-ignore
  let accepted = 0;
  for (const forge of forged) for (let n = 0; n < EACH; n++) if ((await problem(forge(n))) === undefined) accepted++;
  expect(accepted).toBe(0);
  expect(await problem(own)).toBeUndefined();
}, 60_000);

function withHeader(header: object): CommandToSign {
  const text = `${Buffer.from(JSON.stringify(header)).toString('base64url')}..${'A'.repeat(86)}`;
  return { ...sound, headers: { ...sound.headers, [SIGNATURE_HEADER]: text } };
}

function flipped(bytes: Buffer, bit: number): Buffer {
  const other = Buffer.from(bytes);
  other[(bit >> 3) % other.length]! ^= 1 << (bit & 7);
  return other;
}
