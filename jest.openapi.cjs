/** Checks answers of our services by their OpenAPI documents (`apps/SERVICE/openapi.json`). */
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const PROBLEM = 'application/problem+json';
const SCHEMA_OF_PROBLEM = { $ref: '#/components/schemas/Problem' };
const documents = new Map();

/** The document of a service, with its paths as patterns; undefined if it has none. */
function documentOf(service) {
  if (!documents.has(service)) {
    const file = join(__dirname, 'apps', service, 'openapi.json');
    documents.set(service, existsSync(file) ? read(file) : undefined);
  }
  return documents.get(service);
}

function read(file) {
  const { Ajv2020 } = require('ajv/dist/2020.js');
  const document = JSON.parse(readFileSync(file, 'utf8'));
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true, password: true } });
  ajv.addSchema(document, 'document');
  const routes = Object.entries(document.paths).map(([path, operations]) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`, 'i');
    return { path, pattern, operations };
  });
  return { ajv, routes, validators: new Map() };
}

/** Compiles a schema of the document once: a test that waits asks for the same answer fifty times a second. */
function validatorOf({ ajv, validators }, schema) {
  if (!validators.has(schema))
    validators.set(schema, ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))));
  return validators.get(schema);
}

/**
 * Returns what is wrong with an answer, undefined if nothing is. Every error may be a problem document, also of a path that there is none.
 * @param request `{ method, url }`
 */
async function faultOfAnswer(service, { method, url }, response) {
  const document = documentOf(service);
  if (document === undefined) return undefined;
  const { ajv, routes } = document;
  // notification-ingest takes its paths in any case and with any slashes.
  const pathname = new URL(url).pathname.replaceAll(/\/+/g, '/').replace(/(.)\/$/, '$1');
  const route = routes.find(({ pattern }) => pattern.test(pathname));
  const name = method.toLowerCase();
  const { responses = {} } = route?.operations[name === 'head' ? 'get' : name] ?? {};
  const what = `${method} ${route?.path ?? pathname} of ${service}: ${response.status}`;
  const contentType = response.headers.get('content-type')?.split(';', 1)[0];
  const { content } =
    responses[response.status] ?? (response.status < 400 ? {} : { content: { [PROBLEM]: { schema: {} } } });
  if (response.status < 400 && responses[response.status] === undefined)
    return `${what} is not in its OpenAPI document`;
  if (content === undefined || name === 'head') return undefined;
  const isProblem = response.status >= 400 && contentType === PROBLEM;
  if (content[contentType] === undefined && !isProblem) return `${what} is of type ${contentType}`;
  let body;
  try {
    body = await response.clone().text();
  } catch {
    return undefined; // The test ended the request.
  }
  const validate = validatorOf(document, isProblem ? SCHEMA_OF_PROBLEM : content[contentType].schema);
  const value = contentType.endsWith('json') ? JSON.parse(body) : body;
  return validate(value) ? undefined : `${what} has ${ajv.errorsText(validate.errors)}: ${body.slice(0, 500)}`;
}

module.exports = { faultOfAnswer };
