import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Problem } from '@tranche/service-kit';
import { cardDataRefused, HeaderGuard, textHoldsCards } from './card-data-guard.js';
import type { CseConfig } from './cse.config.js';
import { EncryptionKeyService } from './encryption-key.service.js';
import { Exchanges, type Exchange } from './exchanges.controller.js';
import { readKeyRequest } from './key-request.js';
import { KnownKeys } from './known-keys.store.js';
import { clientAddress, countedAs } from './limits/client-address.js';
import { RequestLimits } from './limits/request-limits.store.js';
import { headersOfOrigins, type HeaderList } from './origins.js';

export const PATH = '/v1/cse-keys';
const JSON_TYPE = /^application\/json *(?:;|$)/i;

/**
 * `POST /v1/cse-keys`, on Node's own server: a route of Nest costs more than all that there is to do here, and a framework would see, and
 * might repeat, what clients write. Limits first, then who asks, then what comes; what is refused is neither repeated nor logged.
 */
export function serveKeys(app: NestFastifyApplication, config: CseConfig): void {
  const server: Server = app.getHttpServer();
  server.removeAllListeners('request');
  const endpoint = keysEndpoint(app, config);
  server.on('request', endpoint);
  // Node would answer an `Expect` that it does not know by itself, unlimited and uncounted.
  server.on('checkExpectation', endpoint);
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onListen', (done) => {
    serveLikeFirst(server, fastify);
    done();
  });
}

/** `localhost` may be two addresses: Fastify then has a server of its own for the second one, which is to do what the first does. */
function serveLikeFirst(first: Server, fastify: object): void {
  const bindings = Object.getOwnPropertySymbols(fastify).find(({ description }) => description === 'fastify.serverBindings');
  const others = bindings === undefined ? [] : (fastify as Record<symbol, Server[]>)[bindings];
  for (const other of others ?? []) {
    for (const event of ['request', 'checkExpectation', 'clientError']) {
      other.removeAllListeners(event);
      for (const listener of first.listeners(event)) other.on(event, listener as () => void);
    }
  }
}

function keysEndpoint(app: NestFastifyApplication, config: CseConfig): (request: IncomingMessage, response: ServerResponse) => void {
  const exchanges = app.get(Exchanges);
  const limits = app.get(RequestLimits);
  const keys = app.get(EncryptionKeyService);
  const known = app.get(KnownKeys);
  const headerGuard = new HeaderGuard();
  const origins = headersOfOrigins(config.origins);
  const apiKeyIds = new Set(config.merchants.all.flatMap(({ apiKeys = [] }) => apiKeys.map(({ id }) => id)));
  const isKnown = (id: string) => apiKeyIds.has(id) || known.has(id);

  return (request, response) => {
    const { method = '', url = '', headers } = request;
    const { origin = '' } = headers;
    const admitted = origins.get(origin);
    const exchange = exchanges.begin(request, response, admitted);
    try {
      const address = countedAs(clientAddress(request.socket.remoteAddress ?? '', headers['x-forwarded-for']?.toString(), config.isProxy));
      const waitSeconds = limits.take(address, admitted === undefined ? undefined : origin);
      if (waitSeconds !== undefined) throw tooMany(waitSeconds);
      if (admitted === undefined) throw notAdmitted();
      if (url !== PATH && textHoldsCards(url)) throw cardDataRefused();
      if (headerGuard.holdsCards(request.rawHeaders)) throw cardDataRefused();
      if (url !== PATH && !url.startsWith(`${PATH}?`)) throw nothingHere();
      if (method === 'OPTIONS') exchanges.answer(exchange, 204, admitted.preflight, '');
      else if (method === 'POST') exchanges.readBody(exchange, (text) => answerKey(exchange, admitted.key, text));
      else throw nothingHere();
    } catch (error) {
      exchanges.refuse(exchange, error);
    }
  };

  function answerKey(exchange: Exchange, headers: HeaderList, text: string): void | Promise<void> {
    if (!JSON_TYPE.test(exchange.request.headers['content-type'] ?? '')) throw textHoldsCards(text) ? cardDataRefused() : notJson();
    const wanted = readKeyRequest(text, isKnown);
    if (!apiKeyIds.has(wanted.apiKeyId)) throw unknownApiKey();
    const answer = keys.answer(wanted);
    if (typeof answer === 'string') return exchanges.answer(exchange, 200, headers, answer);
    return answer.then((later) => exchanges.answer(exchange, 200, headers, later));
  }
}

function tooMany(waitSeconds: number): Problem {
  const headers = { 'retry-after': String(waitSeconds) };
  return new Problem({ status: 429, code: 'too_many_requests', detail: 'Too many requests. Try again later.', headers });
}

function notAdmitted(): Problem {
  return new Problem({ status: 403, code: 'origin_not_allowed', detail: 'This address answers only the pages of configured origins.' });
}

function nothingHere(): Problem {
  return new Problem({ status: 404, code: 'not_found', detail: `There is only POST ${PATH} here.` });
}

function notJson(): Problem {
  return new Problem({ status: 415, code: 'unsupported_media_type', detail: 'The body must be JSON, and its content type must say so.' });
}

function unknownApiKey(): Problem {
  return new Problem({ status: 403, code: 'unknown_api_key', detail: 'This apiKeyId is not configured.' });
}
