/** The OpenAPI documents of the services, from one table of their routes. `openapi.spec.mjs` compares the table with the controllers. */
import { readFileSync } from 'node:fs';
import { ref, SCHEMAS } from './openapi-schemas.mjs';

const { version, license } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const json = (name, description) => ({ description, content: { 'application/json': { schema: ref(name) } } });
const plain = (description, type = 'text/plain', schema = { type: 'string' }) => ({
  description,
  content: { [type]: { schema } },
});
const nothing = (description) => ({ description });
const inPath = (name, description) => ({ name, in: 'path', required: true, description, schema: { type: 'string' } });
const inQuery = (name, description, schema) => ({
  name,
  in: 'query',
  required: schema.required === true,
  description,
  schema: schema.rule,
});
const PAGE = [
  inQuery('merchant', 'Only this merchant.', { rule: { type: 'string', pattern: '^[a-z0-9-]{1,32}$' } }),
  inQuery('limit', 'Most entries of a page.', { rule: { type: 'integer', minimum: 1, maximum: 500, default: 100 } }),
  inQuery('after', 'Value of next of the page before.', { rule: { type: 'string', minLength: 1, maxLength: 2000 } }),
];
const IN_DOUBT = inQuery('state', 'State of the operations.', {
  required: true,
  rule: { type: 'string', const: 'in_doubt' },
});
const OPERATION = inPath('id', 'Id of the operation.');
const PROPOSAL = inPath('id', 'Id of the proposal.');
const ACCOUNT = inPath('account', 'Account in the configuration.');

/** Each service: `METHOD /path` → summary, answers, and where it has them body, parameters. `*`: any method. */
export const SERVICES = {
  'notification-ingest': {
    summary:
      'Takes the platform’s notifications and the cardholders’ return. Parameters come in the query or as a form.',
    routes: {
      '* /notifications': [
        'Takes a notification. Only 200 with the body OK acknowledges it.',
        { 200: plain('The notification is stored.', 'text/plain', { type: 'string', const: 'OK' }) },
      ],
      '* /return/{merchant}': [
        'Sends the cardholder’s browser on to the shop, or shows a page.',
        {
          303: nothing('To the page of the merchant.'),
          200: plain('A page.', 'text/html'),
          403: plain('A page: the HASH is wrong.', 'text/html'),
          404: plain('A page: no such merchant.', 'text/html'),
        },
        { parameters: [inPath('merchant', 'Merchant in the configuration.')] },
      ],
    },
    /** Answered by a filter, not by a controller. */
    others: {
      '* /return': ['Shows a page: the merchant is missing.', { 404: plain('A page.', 'text/html') }],
    },
  },
  'cse-token-service': {
    summary: 'Gives the key for client-side encryption to pages of known origins.',
    routes: {
      'POST /v1/cse-keys': ['Gives the key.', { 200: json('EncryptionKey', 'The key.') }, { body: 'KeyRequest' }],
      'OPTIONS /v1/cse-keys': ['Preflight of CORS.', { 204: nothing('The origin may ask.') }],
    },
  },
  'auth-service': {
    summary: 'Gives access tokens of the configured accounts to other services.',
    isSecured: true,
    routes: {
      'POST /v1/tokens': [
        'Gives a token of an account.',
        { 200: json('Token', 'The token.') },
        { body: 'TokenRequest' },
      ],
      'POST /v1/user-tokens': [
        'Gives a token of a user.',
        { 200: json('Token', 'The token.') },
        { body: 'UserTokenRequest' },
      ],
      'GET /v1/accounts': ['Lists the accounts that the caller may use.', { 200: json('Accounts', 'The accounts.') }],
      'GET /v1/accounts/{account}/realm': [
        'Asks the token API for the realm of an account.',
        { 200: json('Realm', 'The realm.') },
        { parameters: [ACCOUNT] },
      ],
      'GET /v1/accounts/{account}/identity': [
        'Asks the token API whether the token of an account is valid.',
        { 200: json('Identity', 'It is valid.') },
        { parameters: [ACCOUNT] },
      ],
    },
  },
  'payment-gateway': {
    summary: 'The operators’ API, on the management port.',
    isSecured: true,
    routes: {
      'GET /v1/operations': [
        'Lists operations in doubt.',
        { 200: json('Doubts', 'A page.') },
        { parameters: [IN_DOUBT, ...PAGE] },
      ],
      'GET /v1/conflicts': ['Lists conflicts.', { 200: json('Conflicts', 'A page.') }, { parameters: PAGE }],
      'POST /v1/operations/{id}/resolve': [
        'Says how an operation in doubt, or a payment that waits, ended.',
        { 200: json('Operation', 'The resolution counts.'), 202: json('Proposal', 'A second person must approve.') },
        { parameters: [OPERATION], body: 'Resolution' },
      ],
      'GET /v1/orders/{merchant}/{orderId}': [
        'Shows an order.',
        { 200: json('Order', 'The order.') },
        { parameters: [inPath('merchant', 'Merchant.'), inPath('orderId', 'ORDERID of the shop.')] },
      ],
      'GET /v1/proposals': ['Lists proposals.', { 200: json('Proposals', 'The proposals.') }],
      'POST /v1/proposals/{id}/approve': [
        'Approves a proposal.',
        { 200: json('Operation', 'The resolution counts.') },
        { parameters: [PROPOSAL] },
      ],
      'POST /v1/proposals/{id}/reject': [
        'Rejects a proposal.',
        { 200: json('Proposal', 'The proposal is rejected.') },
        { parameters: [PROPOSAL] },
      ],
    },
  },
};

/** On the management port of every service, without a key. */
const MANAGEMENT = {
  'GET /health/live': [
    'Says whether the process works.',
    { 200: json('Health', 'It works.'), 503: json('Health', 'It must be restarted.') },
  ],
  'GET /health/ready': [
    'Says whether the service takes work.',
    { 200: json('Health', 'It is ready.'), 503: json('Health', 'It is not ready.') },
  ],
  'GET /metrics': ['Metrics for Prometheus.', { 200: plain('The metrics.'), 500: plain('They cannot be collected.') }],
};

export const openapiFile = (service) => `apps/${service}/openapi.json`;

export function openapiDocument(service) {
  const { summary, isSecured = false, routes, others = {} } = SERVICES[service];
  const paths = { ...pathsOf({ ...routes, ...others }, isSecured), ...pathsOf(MANAGEMENT, false) };
  const document = {
    openapi: '3.1.0',
    info: { title: `Tranche: ${service}`, version, summary, license: { name: license, identifier: license } },
    servers: [{ url: 'http://localhost:{port}', description: summary, variables: { port: { default: '3000' } } }],
    paths,
  };
  return {
    ...document,
    components: {
      schemas: used(document),
      ...(isSecured && {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'Key of a caller or operator.' } },
      }),
    },
  };
}

function pathsOf(routes, isSecured) {
  const paths = {};
  for (const [route, [summary, responses, { parameters, body } = {}]] of Object.entries(routes)) {
    const [methods, path] = route.split(' ');
    for (const method of methods === '*' ? ['get', 'post', 'put', 'patch', 'delete'] : [methods.toLowerCase()])
      (paths[path] ??= {})[method] = {
        operationId: `${method}${path.replaceAll(/[^A-Za-z0-9]+(\w?)/g, (_, letter) => letter.toUpperCase())}`,
        summary,
        ...(parameters && { parameters }),
        ...(body && { requestBody: { required: true, content: { 'application/json': { schema: ref(body) } } } }),
        responses: {
          ...responses,
          default: {
            description: 'Refused or failed.',
            content: { 'application/problem+json': { schema: ref('Problem') } },
          },
        },
        ...(isSecured && { security: [{ bearer: [] }] }),
      };
  }
  return paths;
}

/** The schemas that the document names, directly or through others. */
function used(document) {
  const found = {};
  const add = (part) => {
    for (const [, name] of JSON.stringify(part).matchAll(/#\/components\/schemas\/(\w+)/g))
      if (found[name] === undefined) add((found[name] = SCHEMAS[name]));
  };
  add(document);
  return Object.fromEntries(Object.keys(SCHEMAS).flatMap((name) => (found[name] ? [[name, found[name]]] : [])));
}
