/** Sign-in at the operators' issuer: OpenID Connect, code flow with PKCE. Loaded only where the page has a client there. */
import * as oauth from 'oauth4webapi';
import type { OidcClient } from './api/console.js';
import type { SignedIn } from './session.js';

/** The sign-in under way, in this tab: another tab's answer does not count here. */
const FLOW = 'tranche.sign-in';
const TIMEOUT_MS = 10_000;

interface Flow {
  state: string;
  nonce: string;
  verifier: string;
  /** Address of the page that the person was on. */
  from: string;
}

const redirectUri = (): string => `${location.origin}/sign-in`;

/** Operations takes an issuer on plain HTTP only on its own machine. */
const requestOptions = ({ issuer }: OidcClient) => ({
  [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
  signal: () => AbortSignal.timeout(TIMEOUT_MS),
});

async function discover(client: OidcClient): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(client.issuer);
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, requestOptions(client)));
}

/**
 * Leaves the page for the issuer's.
 * @throws Error in words for the person
 */
export async function askIssuer(client: OidcClient): Promise<void> {
  const { authorization_endpoint: endpoint } = await discover(client).catch(inWordsOf);
  if (endpoint === undefined) throw new Error('The issuer names no authorization_endpoint.');
  const [state, nonce, verifier] = [oauth.generateRandomState(), oauth.generateRandomNonce(), oauth.generateRandomCodeVerifier()]; // prettier-ignore
  const { pathname, search } = location;
  const flow: Flow = { state, nonce, verifier, from: pathname + search };
  sessionStorage.setItem(FLOW, JSON.stringify(flow));
  const address = new URL(endpoint);
  const parameters = {
    ...{ client_id: client.clientId, response_type: 'code', redirect_uri: redirectUri(), scope: client.scope },
    ...{
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    },
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  location.assign(address);
}

/**
 * Exchanges the code that the issuer sent the person back with, and puts the person's page into the address again, whatever it came to.
 * @throws Error in words for the person
 */
export async function takeAnswer(client: OidcClient): Promise<SignedIn> {
  const answer = new URL(location.href);
  const flow = JSON.parse(sessionStorage.getItem(FLOW) ?? 'null') as Flow | null;
  sessionStorage.removeItem(FLOW);
  history.replaceState(null, '', flow?.from ?? '/');
  if (flow === null || answer.searchParams.get('state') !== flow.state)
    throw new Error('This answer belongs to no sign-in of this tab. Sign in again.');
  return exchanged(client, flow, answer).catch(inWordsOf);
}

async function exchanged(client: OidcClient, flow: Flow, answer: URL): Promise<SignedIn> {
  const server = await discover(client);
  const self = { client_id: client.clientId };
  const parameters = oauth.validateAuthResponse(server, self, answer, flow.state);
  const response = await oauth.authorizationCodeGrantRequest(server, self, oauth.None(), parameters, redirectUri(), flow.verifier, requestOptions(client)); // prettier-ignore
  const given = await oauth.processAuthorizationCodeResponse(server, self, response, { expectedNonce: flow.nonce, requireIdToken: true }); // prettier-ignore
  const { access_token: token, id_token: idToken = '' } = given;
  if (server.end_session_endpoint === undefined) return { token };
  const signOutUrl = new URL(server.end_session_endpoint);
  const ending = {
    id_token_hint: idToken,
    client_id: client.clientId,
    post_logout_redirect_uri: `${location.origin}/`,
  };
  for (const [name, value] of Object.entries(ending)) signOutUrl.searchParams.set(name, value);
  return { token, signOutUrl: signOutUrl.href };
}

/** Says what went wrong. Texts of the address are not shown: anybody can make such an address. */
function inWords(error: unknown): string {
  if (error instanceof oauth.AuthorizationResponseError)
    return error.error === 'access_denied' ? 'The sign-in was cancelled.' : 'The issuer refused the sign-in.';
  if (error instanceof TypeError || error instanceof DOMException) return 'The issuer can not be reached. Try again.';
  return `The answer of the issuer is not accepted: ${(error as Error).message}.`;
}

function inWordsOf(error: unknown): never {
  throw new Error(inWords(error), { cause: error });
}
