import { createLogger } from '@tranche/service-kit';
import { exportSPKI, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { startIssuer } from '@tranche/testing';
import { OidcOperators } from './oidc-operators.js';
import type { OidcConfig } from './operators.config.js';

const AUDIENCE = 'https://payments.example/operators';
const CLIENTS = {
  alice: {
    secret: 'secret-of-alice',
    claims: { roles: ['staff', 'payments-ops', 'payments-view'], merchants: ['shop-fr'] },
  },
  carol: { secret: 'secret-of-carol', claims: { roles: ['staff'] } },
};

let provider: Awaited<ReturnType<typeof startIssuer>>;
let issuer: string;
let keys: typeof provider.keys;
beforeAll(async () => {
  provider = await startIssuer(CLIENTS);
  ({ issuer, keys } = provider);
}, 60_000);
afterAll(() => provider.stop());

const tokenOf = (client: keyof typeof CLIENTS, resource = AUDIENCE) => provider.tokenOf(client, resource);

function operators(settings: Partial<OidcConfig> = {}, aheadMs = 0) {
  const oidc = Object.assign(settings, {
    issuer,
    audience: AUDIENCE,
    roles: new Map([
      ['payments-view', 'viewer'],
      ['payments-ops', 'operator'],
    ]),
    roleClaim: 'roles',
    personClaim: 'sub',
    ...settings,
  }) as OidcConfig;
  const clock = { nowMs: () => Date.now() + aheadMs };
  const log = createLogger({ name: 'spec', destination: { write: () => undefined } });
  return new OidcOperators(oidc, clock, log);
}

it('takes a token of the issuer: the person, and the highest of the roles', async () => {
  const token = await tokenOf('alice');
  expect(await operators().operatorOf(token)).toEqual({ person: 'alice', role: 'operator' });
});

it('limits the person to the merchants of a claim; without the claim there are none', async () => {
  const token = await tokenOf('alice');
  const limited = { merchantsClaim: 'merchants' };
  expect(await operators(limited).operatorOf(token)).toMatchObject({ merchants: ['shop-fr'] });
  expect(await operators({ merchantsClaim: 'shops' }).operatorOf(token)).toMatchObject({ merchants: [] });
});

it('refuses a token that names no role', async () => {
  const token = await tokenOf('carol');
  await expect(operators().operatorOf(token)).rejects.toMatchObject({ status: 403, code: 'role_needed' });
});

describe('refuses a token', () => {
  const refused = { status: 401, code: 'token_refused' };
  const payload = (): JWTPayload => ({ iss: issuer, aud: AUDIENCE, sub: 'alice', roles: ['payments-ops'] });
  const signed = (claims: JWTPayload, expires: string | undefined, key = keys.privateKey) => {
    const token = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).setIssuedAt();
    return (expires === undefined ? token : token.setExpirationTime(expires)).sign(key);
  };
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const inAnHour = () => Math.floor(Date.now() / 1000) + 3_600;

  it('that is right in nothing but one thing: the same signed with all of it right is taken', async () => {
    expect(await operators().operatorOf(await signed(payload(), '1h'))).toEqual({ person: 'alice', role: 'operator' });
  });

  it.each<[string, () => Promise<string>]>([
    ['for another audience', () => tokenOf('alice', 'https://other.example/api')],
    ['of another issuer', () => signed({ ...payload(), iss: 'https://other.example' }, '1h')],
    ['that has expired', () => signed(payload(), '-1h')],
    ['that never expires', () => signed(payload(), undefined)],
    ['without a person', () => signed({ ...payload(), sub: undefined }, '1h')],
    ['with a person that is no name', () => signed({ ...payload(), sub: 'alice\nbob' }, '1h')],
    [
      'signed with a key of somebody else',
      async () => signed(payload(), '1h', (await generateKeyPair('RS256')).privateKey),
    ],
    [
      'without a signature (alg none)',
      () => Promise.resolve(`${encoded({ alg: 'none' })}.${encoded({ ...payload(), exp: inAnHour() })}.`),
    ],
    [
      'signed with the public key as a secret (HS256)',
      async () =>
        new SignJWT(payload())
          .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
          .setExpirationTime('1h')
          .sign(new TextEncoder().encode(await exportSPKI(keys.publicKey))),
    ],
    ['that is none', () => Promise.resolve('eyJ.e30.x')],
  ])('%s', async (_, token) => {
    await expect(operators().operatorOf(await token())).rejects.toMatchObject(refused);
  });

  it('once its time is over by our clock', async () => {
    const token = await tokenOf('alice');
    await expect(operators({}, 100_000).operatorOf(token)).rejects.toMatchObject(refused);
  });
});

it('reports that the issuer is unreachable, and asks it again the next time', async () => {
  const token = await tokenOf('alice');
  const settings = { issuer: 'http://127.0.0.1:9' };
  const known = operators(settings);
  await expect(known.operatorOf(token)).rejects.toMatchObject({ status: 503, code: 'identity_unavailable' });
  // Changes the same configuration object, as if the issuer had become reachable again.
  settings.issuer = issuer;
  expect(await known.operatorOf(token)).toMatchObject({ person: 'alice' });
});

it('believes no discovery document of another issuer', async () => {
  const other = operators({ issuer: `${issuer}/` });
  await expect(other.operatorOf(await tokenOf('alice'))).rejects.toMatchObject({ status: 503 });
});
