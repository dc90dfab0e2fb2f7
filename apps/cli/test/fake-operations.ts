import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { noteService, repositoryRoot } from '@tranche/testing';

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
}
interface Document {
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema: Schema }> }> }>
  >;
  components: { schemas: Record<string, Schema> };
}

const document = JSON.parse(readFileSync(join(repositoryRoot(), 'apps/operations/openapi.json'), 'utf8')) as Document;

/** An answer of 200, or `[status, body]`. */
type Said = object | [number, object];
export interface Request {
  method: string;
  url: string;
  body?: unknown;
  authorization?: string | undefined;
}

/** Operations as its OpenAPI document has it: it answers with the examples there, and `fetch` in a spec refuses an answer that is not valid by it. */
export async function fakeOperations() {
  const requests: Request[] = [];
  let answers: Record<string, Said> = {};
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    let text = '';
    for await (const chunk of request) text += String(chunk);
    requests.push({ method, url, authorization: headers.authorization, ...(text !== '' && { body: JSON.parse(text) as unknown }) });
    const [path = ''] = url.split('?');
    const [status, body] = answerTo(method, path, url, answers);
    response.writeHead(status, { 'content-type': status < 400 ? 'application/json' : 'application/problem+json' });
    response.end(JSON.stringify(body));
  } // prettier-ignore

  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: noteService('operations', url),
    requests,
    /** By `METHOD /path`, with the query where it matters. */
    says(given: Record<string, Said>): void {
      answers = given;
      requests.length = 0;
    },
    close: () => new Promise<void>((closed) => server.close(() => closed())),
  };
}

function answerTo(method: string, path: string, url: string, answers: Record<string, Said>): [number, unknown] {
  const given = answers[`${method} ${url}`] ?? answers[`${method} ${path}`];
  if (given !== undefined) return Array.isArray(given) ? (given as [number, object]) : [200, given];
  const route = Object.entries(document.paths).find(([pattern]) => isOf(pattern, path));
  const [status, schema] = documented(route?.[1][method.toLowerCase()]?.responses ?? {});
  return schema === undefined ? [404, problem(404, 'not_found')] : [status, exampleOf(schema)];
}

const isOf = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);

function documented(responses: Document['paths'][string][string]['responses']): [number, Schema | undefined] {
  const [status, { content } = { content: {} }] = Object.entries(responses).find(([code]) => /^2/.test(code)) ?? [
    '404',
  ];
  return [Number(status), content?.['application/json']?.schema];
}

export const problem = (status: number, code: string, more: object = {}): object => ({
  ...{ type: `urn:tranche:problem:${code}`, title: code, status, code, detail: `The detail of ${code}.` },
  ...more,
});

/** A body that is valid by the document's schema of that name. */
export const example = <T extends object>(name: string, more: T): T => ({
  ...(exampleOf({ $ref: name }) as object),
  ...more,
});

function exampleOf(schema: Schema): unknown {
  const { $ref, examples, enum: values, type, properties = {}, required = [], items, oneOf, anyOf } = schema;
  if ($ref !== undefined) return exampleOf(document.components.schemas[$ref.split('/').at(-1)!]!);
  if (examples !== undefined) return examples[0];
  if (values !== undefined) return values[0];
  if (oneOf !== undefined || anyOf !== undefined) return exampleOf((oneOf ?? anyOf)![0]!);
  if (type === 'array') return items === undefined ? [] : [exampleOf(items)];
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => required.includes(name))
        .map(([name, one]) => [name, exampleOf(one)]),
    );
  return type === 'boolean' ? true : type === 'integer' || type === 'number' ? 1 : 'text';
}
