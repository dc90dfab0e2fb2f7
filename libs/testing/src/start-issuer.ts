import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export interface OidcClient {
  secret: string;
  /** Claims beside those of the protocol. */
  claims: Record<string, unknown>;
}

/** A page that signs people in: its public client, its own address, and the claims of each person. */
export interface OidcPage {
  clientId: string;
  address: string;
  audience: string;
  people: Record<string, Pick<OidcClient, 'claims'>>;
}

/** Starts `oidc-provider` in a process of its own, on a free port, because it is an ES module and Jest can't load it here. */
export async function startIssuer(clients: Record<string, OidcClient>, page?: OidcPage) {
  const keys = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(keys.privateKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
  const env = {
    ...process.env,
    OIDC_JWK: JSON.stringify(jwk),
    OIDC_CLIENTS: JSON.stringify(clients),
    ...(page && { OIDC_PAGE: JSON.stringify(page) }),
  };
  const provider = spawn(process.execPath, [join(__dirname, 'oidc-issuer.mjs')], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let issuer = '';
  for await (const line of createInterface({ input: provider.stdout }))
    if (line.startsWith('{')) {
      ({ issuer } = JSON.parse(line) as { issuer: string });
      break;
    }
  return {
    issuer,
    keys,
    /** Requests a token with the client's own credentials. */
    async tokenOf(client: string, resource: string): Promise<string> {
      const credentials = Buffer.from(`${client}:${clients[client]!.secret}`).toString('base64');
      const answer = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource }),
      });
      const { access_token: token } = (await answer.json()) as { access_token?: string };
      if (token === undefined) throw new Error(`The provider answered ${answer.status}`);
      return token;
    },
    /** A token of a person of the page that has ended two minutes ago. */
    expiredTokenOf: (person: string): Promise<string> =>
      new SignJWT(page?.people[person]?.claims)
        .setProtectedHeader({ alg: 'RS256', kid: 'k1', typ: 'at+jwt' })
        .setIssuer(issuer)
        .setAudience(page?.audience ?? '')
        .setSubject(person)
        .setExpirationTime(new Date(Date.now() - 120_000))
        .sign(keys.privateKey),
    async stop(): Promise<void> {
      const ended = once(provider, 'exit');
      provider.kill();
      await ended;
    },
  };
}
