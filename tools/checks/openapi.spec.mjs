import { readdirSync, readFileSync } from 'node:fs';
import SwaggerParser from '@apidevtools/swagger-parser';
import { RequestMethod } from '@nestjs/common';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { getMetadataStorage } from 'class-validator';
import { faultOfAnswer } from '../../jest.openapi.cjs';
import { AccountsController } from '../../apps/auth-service/src/api/accounts.controller.js';
import { TokenRequest, UserTokenRequest, TokensController } from '../../apps/auth-service/src/api/tokens.controller.js';
import { CseKeysController, KeyRequest } from '../../apps/cse-token-service/src/keys/cse-keys.controller.js';
import { NotificationController } from '../../apps/notification-ingest/src/notification.controller.js';
import { AttentionController } from '../../apps/operations/src/api/attention.controller.js';
import { CallsController } from '../../apps/operations/src/api/calls.controller.js';
import { HistoryController } from '../../apps/operations/src/api/history.controller.js';
import { OrdersController } from '../../apps/operations/src/api/orders.controller.js';
import { StreamController } from '../../apps/operations/src/api/stream.controller.js';
import { JobsController } from '../../apps/operations/src/jobs/jobs.controller.js';
import { JobRequest } from '../../apps/operations/src/api/queries.js';
import { PassedOnController } from '../../apps/operations/src/api/passed-on.controller.js';
import { ReturnController } from '../../apps/notification-ingest/src/return/browser-return.service.js';
import { ControlsController } from '../../apps/payment-gateway/src/operations/controls.controller.js';
import { OperationsController } from '../../apps/payment-gateway/src/operations/operations.controller.js';
import { ReplaysController } from '../../apps/payment-gateway/src/operations/replays.controller.js';
import { ReplayRequest } from '../../apps/payment-gateway/src/operations/replays.service.js';
import { ControlRequest, LiftRequest } from '../../apps/payment-gateway/src/decisions/controls.service.js';
import { ManualResolution } from '../../apps/payment-gateway/src/decisions/manual-resolution.js';
import { ManualSettlement } from '../../apps/payment-gateway/src/decisions/manual-settlement.js';

const CONTROLLERS = {
  'auth-service': [AccountsController, TokensController],
  'cse-token-service': [CseKeysController],
  'notification-ingest': [NotificationController, ReturnController],
  operations: [
    AttentionController,
    CallsController,
    OrdersController,
    HistoryController,
    StreamController,
    PassedOnController,
    JobsController,
  ],
  'payment-gateway': [OperationsController, ControlsController, ReplaysController],
};
const BODIES = [
  ['cse-token-service', 'KeyRequest', KeyRequest],
  ['auth-service', 'TokenRequest', TokenRequest],
  ['auth-service', 'UserTokenRequest', UserTokenRequest],
  ['payment-gateway', 'Resolution', ManualResolution],
  ['payment-gateway', 'Settlement', ManualSettlement],
  ['payment-gateway', 'ControlRequest', ControlRequest],
  ['payment-gateway', 'LiftRequest', LiftRequest],
  ['payment-gateway', 'ReplayRequest', ReplayRequest],
  ['operations', 'JobRequest', JobRequest],
];
/** Answered by a filter, not by a controller. */
const OF_FILTERS = ['* /return'];
const MANAGEMENT = ['/health/live', '/health/ready', '/metrics'];
const services = Object.keys(CONTROLLERS);
const fileOf = (service) => `apps/${service}/openapi.json`;
const documents = Object.fromEntries(services.map((name) => [name, JSON.parse(readFileSync(fileOf(name), 'utf8'))]));
const schemas = services.flatMap((service) =>
  Object.entries(documents[service].components.schemas).map(([name, schema]) => [service, name, schema]),
);

/** `METHOD /path` of each operation; `*` where a path takes every method. */
function operationsOf({ paths }) {
  return Object.entries(paths)
    .filter(([path]) => !MANAGEMENT.includes(path))
    .flatMap(([path, operations]) => {
      const methods = Object.keys(operations).map((method) => method.toUpperCase());
      return methods.length === 5 ? [`* ${path}`] : methods.map((method) => `${method} ${path}`);
    });
}

/** `METHOD /path` of each handler, from Nest's decorators. */
function routesOf(controller) {
  const handlers = Object.getOwnPropertyNames(controller.prototype).map((name) => controller.prototype[name]);
  const paths = (handler) => [Reflect.getMetadata('path', controller), Reflect.getMetadata('path', handler)];
  return handlers
    .filter((handler) => Reflect.hasMetadata('method', handler))
    .map((handler) => {
      const method = RequestMethod[Reflect.getMetadata('method', handler)];
      const path = paths(handler).join('/').split('/').filter(Boolean).join('/');
      return `${method === 'ALL' ? '*' : method} /${path.replaceAll(/:(\w+)/g, '{$1}')}`;
    });
}

it.each(services)('%s: the OpenAPI document is valid for the official parser', async (service) => {
  const { openapi, info } = await SwaggerParser.validate(structuredClone(documents[service]));
  expect(openapi).toBe('3.1.0');
  const { version, license } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(info).toMatchObject({ version, license: { identifier: license } });
});

it.each(services)('%s: the OpenAPI document has the routes of its controllers', (service) => {
  const described = operationsOf(documents[service]).filter((route) => !OF_FILTERS.includes(route));
  expect(described.sort()).toEqual(CONTROLLERS[service].flatMap(routesOf).sort());
});

it.each(services)('%s: no controller is left out here', (service) => {
  const sources = readdirSync(`apps/${service}/src`, { recursive: true }).filter((name) => /(?<!spec)\.ts$/.test(name));
  const names = sources.flatMap((name) => {
    const text = readFileSync(`apps/${service}/src/${name}`, 'utf8');
    return [...text.matchAll(/^@Controller\([^)]+\)\n(?:.*\n)*?export class (\w+)/gm)].map(
      ([, controller]) => controller,
    );
  });
  expect(CONTROLLERS[service].map(({ name }) => name).sort()).toEqual(names.sort());
});

it.each(services)('%s: problems, health and metrics are the same in every document', (service) => {
  const shared = ({ components, paths }) => [
    components.schemas.Problem,
    components.schemas.Health,
    ...MANAGEMENT.map((path) => paths[path]),
  ];
  expect(shared(documents[service])).toEqual(shared(documents['payment-gateway']));
});

it('what operations passes on has the parameters, bodies and answers of the gateway', async () => {
  const [ours, theirs] = await Promise.all(
    ['operations', 'payment-gateway'].map((name) => SwaggerParser.dereference(structuredClone(documents[name]))),
  );
  const shared = routesOf(PassedOnController).filter((route) => {
    const [method, path] = route.split(' ');
    return theirs.paths[path]?.[method.toLowerCase()] !== undefined;
  });
  expect(shared.length).toBeGreaterThanOrEqual(7);
  for (const route of shared) {
    const [method, path] = route.split(' ');
    const [own, other] = [ours, theirs].map(({ paths }) => {
      const { parameters, requestBody, responses } = paths[path][method.toLowerCase()];
      return { parameters, requestBody, responses };
    });
    expect({ route, ...own }).toEqual({ route, ...other });
  }
});

it.each(BODIES)('%s: %s has the fields of its class', (service, name, type) => {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  expect(Object.keys(documents[service].components.schemas[name].properties).sort()).toEqual(
    [...new Set(rules.map((rule) => rule.propertyName))].sort(),
  );
});

it.each(schemas)(
  '%s: every property of %s has a description, and its examples are valid',
  (_service, _name, schema) => {
    const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true, password: true } });
    for (const [name, { $ref, description, examples = [], ...rule }] of Object.entries(schema.properties)) {
      if ($ref !== undefined) continue;
      expect([name, description]).toEqual([name, expect.stringMatching(/\.$/)]);
      if (rule.items === undefined && rule.type !== 'object')
        expect(examples.map((example) => [name, example, ajv.validate(rule, example)])).toEqual(
          examples.map((example) => [name, example, true]),
        );
    }
  },
);

describe('an answer', () => {
  const answer = (status, body, type = 'application/json; charset=utf-8') =>
    new Response(body, { status, headers: type ? { 'content-type': type } : {} });
  const key = JSON.stringify({ encryptionKeyId: 'k', encryptionPublicKey: 'TUlJQg==' });
  const problem = JSON.stringify({ type: 'urn:x', title: 'X', status: 404, code: 'not_found' });
  const PROBLEM = 'application/problem+json; charset=utf-8';
  const fault = (method, path, given) =>
    faultOfAnswer('cse-token-service', { method, url: `http://127.0.0.1:1${path}` }, given);

  it.each([
    ['a key', 'POST', '/v1/cse-keys', answer(200, key)],
    ['a problem', 'POST', '/v1/cse-keys', answer(404, problem, PROBLEM)],
    ['a problem of an unknown path', 'GET', '/nothing', answer(404, problem, PROBLEM)],
    ['a preflight', 'OPTIONS', '/v1/cse-keys', answer(204, null, '')],
    ['health', 'GET', '/health/ready', answer(200, '{"status":"up","reasons":[]}')],
  ])('%s is as the document says', async (_what, method, path, given) =>
    expect(await fault(method, path, given)).toBeUndefined(),
  );

  it.each([
    ['a field that is missing', 'POST', '/v1/cse-keys', answer(200, '{"encryptionKeyId":"k"}'), 'encryptionPublicKey'],
    ['another status', 'POST', '/v1/cse-keys', answer(201, key), 'is not in its OpenAPI document'],
    ['another type', 'POST', '/v1/cse-keys', answer(200, key, 'text/plain'), 'is of type text/plain'],
    ['an error that is no problem', 'POST', '/v1/cse-keys', answer(500, 'oops', 'text/plain'), 'is of type text/plain'],
    ['a problem without a code', 'POST', '/v1/cse-keys', answer(400, '{}', PROBLEM), "required property 'type'"],
    ['a success of an unknown path', 'GET', '/nothing', answer(200, '{}'), 'is not in its OpenAPI document'],
  ])('%s is found', async (_what, method, path, given, what) =>
    expect(await fault(method, path, given)).toContain(what),
  );

  it('is compared with each of several schemas', async () => {
    const request = { method: 'POST', url: 'http://127.0.0.1:1/v1/operations/x/resolve' };
    const what = 'must match a schema in anyOf';
    expect(await faultOfAnswer('payment-gateway', request, answer(202, '{}'))).toContain(what);
  });
});
