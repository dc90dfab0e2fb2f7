import { compact } from '@tranche/runtime';
import { Problem, type ServiceLogger } from '@tranche/service-kit';
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { isSafeAddress, type OidcConfig } from './operators.config.js';
import { OPERATOR_ROLES, type OperatorIdentity } from './operators.js';

/** Only asymmetric algorithms: with HS256 anybody who knows the public key could sign, with `none` anybody at all. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const TIMEOUT_MS = 5_000;
const CLOCKS_APART_SECONDS = 30;
const KEYS_KEPT_MS = 600_000;
/** Form of the person's name in records. */
const PERSON = /^[\x21-\x7e]{1,128}$/;

/** Identifies operators by tokens of OPERATORS_OIDC_ISSUER. docs/decisions/0075. */
export class OidcOperators {
  #keys?: Promise<JWTVerifyGetKey>;

  constructor(
    private readonly config: OidcConfig,
    private readonly clock: { nowMs(): number },
    private readonly log: ServiceLogger,
  ) {}

  get isConfigured(): boolean {
    return this.config.issuer !== undefined;
  }

  /** @throws Problem 401 where the token is not valid, 403 where it names no role, 503 where the issuer is unreachable */
  async operatorOf(token: string): Promise<OperatorIdentity> {
    const claims = await this.#claimsOf(token);
    const { personClaim, roleClaim, merchantsClaim, roles } = this.config;
    const person = claims[personClaim];
    if (typeof person !== 'string' || !PERSON.test(person)) throw refused();
    const named = new Set(textsOf(claims[roleClaim]).map((value) => roles?.get(value)));
    const role = OPERATOR_ROLES.findLast((one) => named.has(one));
    if (role === undefined)
      throw new Problem({ status: 403, code: 'role_needed', detail: 'The token names no role of this installation.' });
    const merchants = merchantsClaim === undefined ? undefined : textsOf(claims[merchantsClaim]);
    return { person, role, ...compact({ merchants }) };
  }

  async #claimsOf(token: string): Promise<JWTPayload> {
    const { issuer, audience } = this.config;
    try {
      const { payload } = await jwtVerify(token, await this.#keysOfIssuer(), {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp'],
        clockTolerance: CLOCKS_APART_SECONDS,
        currentDate: new Date(this.clock.nowMs()),
      });
      return payload;
    } catch (cause) {
      if (isAboutToken(cause)) throw refused(cause);
      this.log.warn({ err: cause }, 'The issuer of operators’ tokens could not be asked');
      const detail = 'The issuer of the token can not be asked now. Try again later.';
      throw new Problem({ status: 503, code: 'identity_unavailable', detail, cause });
    }
  }

  /** Discovers the issuer once; a failure is not cached. Keys are fetched again after 10 minutes, or for an unknown key id. */
  #keysOfIssuer(): Promise<JWTVerifyGetKey> {
    this.#keys ??= this.#discover().catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    return this.#keys;
  }

  async #discover(): Promise<JWTVerifyGetKey> {
    const { issuer = '' } = this.config;
    const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
    const { issuer: named, jwks_uri: keys } = (await answer.json()) as { issuer?: unknown; jwks_uri?: unknown };
    if (named !== issuer) throw new Error('The discovery document is of another issuer');
    if (typeof keys !== 'string' || !URL.canParse(keys) || !isSafeAddress(new URL(keys)))
      throw new Error('jwks_uri is no https URL');
    return createRemoteJWKSet(new URL(keys), { timeoutDuration: TIMEOUT_MS, cacheMaxAge: KEYS_KEPT_MS });
  }
}

/** True for jose's errors about the token, false for those about fetching the keys. */
const isAboutToken = (error: unknown): boolean =>
  error instanceof errors.JOSEError &&
  !(error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) &&
  error.code !== 'ERR_JOSE_GENERIC';

const textsOf = (claim: unknown): string[] => [claim].flat().filter((one): one is string => typeof one === 'string');

function refused(cause?: unknown): Problem {
  return new Problem({
    status: 401,
    code: 'token_refused',
    detail: 'The token is not one of the issuer for this service, or has expired.',
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    cause,
  });
}
