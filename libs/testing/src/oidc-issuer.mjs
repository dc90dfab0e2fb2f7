/**
 * An OpenID provider. It signs with the private JWK in OIDC_JWK, prints its address, and gives tokens to the clients in OIDC_CLIENTS, and to
 * people in OIDC_PAGE, who say by a link who they are, or cancel.
 */
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const clients = JSON.parse(process.env.OIDC_CLIENTS);
const { clientId, address, audience, people = {} } = JSON.parse(process.env.OIDC_PAGE ?? '{}');
const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
const audienceOf = (resource) => ({
  scope: '',
  audience: resource,
  accessTokenTTL: 60,
  accessTokenFormat: 'jwt',
  jwt: { sign: { alg: 'RS256' } },
});
const provider = new Provider(issuer, {
  jwks: { keys: [JSON.parse(process.env.OIDC_JWK)] },
  clients: [
    ...Object.entries(clients).map(([client_id, { secret }]) => ({
      client_id,
      client_secret: secret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    })),
    ...(clientId === undefined ? [] : [page()]),
  ],
  clientBasedCORS: (_context, origin) => origin === address,
  findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  loadExistingGrant: granted,
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => audience,
      useGrantedResource: () => true,
      getResourceServerInfo: (_context, resource) => audienceOf(resource),
    },
  },
  extraTokenClaims: (_context, { accountId, clientId: client }) => (people[accountId] ?? clients[client]).claims,
});
const callback = provider.callback();
server.on('request', (request, response) => {
  const { pathname, searchParams } = new URL(request.url, issuer);
  if (!pathname.startsWith('/interaction/')) return callback(request, response);
  const person = searchParams.get('person');
  if (person !== null) return provider.interactionFinished(request, response, { login: { accountId: person } });
  if (searchParams.has('cancel')) return provider.interactionFinished(request, response, { error: 'access_denied' });
  const links = ['cancel', ...Object.keys(people).map((name) => `person=${name}`)];
  response.setHeader('content-type', 'text/html');
  response.end(links.map((link) => `<p><a href="?${link}">${link}</a></p>`).join(''));
});
console.log(JSON.stringify({ issuer }));

/** A public client: PKCE stands for its secret. */
function page() {
  return {
    client_id: clientId,
    token_endpoint_auth_method: 'none',
    redirect_uris: [`${address}/sign-in`],
    post_logout_redirect_uris: [`${address}/`],
  };
}

/** Nobody is asked to consent. */
async function granted({ oidc }) {
  const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
  grant.addOIDCScope('openid');
  await grant.save();
  return grant;
}
