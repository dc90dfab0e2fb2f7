/** An OpenID provider. It signs with the private JWK in OIDC_JWK, prints its address, and gives tokens to the clients in OIDC_CLIENTS. */
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const clients = JSON.parse(process.env.OIDC_CLIENTS);
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
  clients: Object.entries(clients).map(([client_id, { secret }]) => ({
    client_id,
    client_secret: secret,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  })),
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: { enabled: true, getResourceServerInfo: (_context, resource) => audienceOf(resource) },
  },
  extraTokenClaims: (_context, token) => clients[token.clientId].claims,
});
server.on('request', provider.callback());
console.log(JSON.stringify({ issuer }));
