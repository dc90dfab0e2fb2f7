import type { FastifyReply, FastifyRequest } from 'fastify';
import { latencyOf, pause, type CallFault, type Faults, type Subject, type When } from '../control/faults.js';
import type { Call } from '../control/ledger.store.js';
import { refusal, type Refusal } from '../transactions/exec-codes.js';

/** The surroundings that all operations of the platform share. */
export interface Edge {
  readonly faults: Faults;
  readonly latencyMs: readonly [number, number];
}

export interface Result {
  /** 200 if absent. Only such an answer can be lost on its way. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

export const UNAUTHORIZED: Result = {
  status: 401,
  headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  body: { error: 'invalid_token', error_description: 'The access token is missing, expired or unknown.' },
};

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly subject: Subject;
  /** The ledger's entry, where the call has one. */
  readonly call?: Call;
  /** Body of a refusal; absent where a fault's EXECCODE means nothing. */
  readonly refused?: (refusal: Refusal) => object;
}

/** Answers a call under the fault rule that applies to it: a call may be lost before its execution, or its answer afterwards. */
export async function answerCall(
  { faults, latencyMs }: Edge,
  { request, reply, subject, call, refused }: Exchange,
  execute: (fault: CallFault) => Result | Promise<Result>,
): Promise<FastifyReply> {
  const fault = faults.ofCall(subject) ?? {};
  await pause(latencyOf(fault, latencyMs));
  const noted = (answered: string | undefined) => call && (call.answered = answered);
  const before = disturbanceOf(fault, 'before');
  if (before !== undefined) {
    noted(before.name);
    return before.send(reply, request);
  }
  if (fault.execCode !== undefined && refused !== undefined) {
    noted(fault.execCode);
    return reply.send(refused(refusal(fault.execCode)));
  }
  const result = await execute(fault);
  const after = result.status === undefined ? disturbanceOf(fault, 'after', result.body) : undefined;
  if (after !== undefined) {
    noted(after.name);
    return after.send(reply, request);
  }
  noted(result === UNAUTHORIZED ? 'unauthorized' : (result.body as { EXECCODE?: string }).EXECCODE);
  return send(reply, result);
}

export const send = (reply: FastifyReply, { status = 200, headers = {}, body }: Result): FastifyReply =>
  reply.code(status).headers(headers).send(body);

interface Disturbance {
  /** The ledger shows it in place of an EXECCODE. */
  readonly name: string;
  readonly send: (reply: FastifyReply, request: FastifyRequest) => FastifyReply;
}

function disturbanceOf(fault: CallFault, when: When, answer: object = {}): Disturbance | undefined {
  const bytes = Buffer.from(JSON.stringify(answer));
  if (when === 'before' ? fault.dropBefore : fault.executeThenReset) return RESET;
  if (when === 'before' && fault.unauthorized)
    return { name: 'unauthorized', send: (reply) => send(reply, UNAUTHORIZED) };
  if (when === 'after' && fault.truncate) return { name: 'truncated', send: (reply) => truncated(reply, bytes) };
  const { slowDrip: overMs } = fault;
  if (when === 'after' && overMs !== undefined)
    return { name: 'dripping', send: (reply) => (void drip(reply, bytes, overMs), reply) };
  if (fault.timeout === when) return { name: 'hang', send: (reply) => reply.hijack() };
  if (fault.garbage === when) return { name: 'garbage', send: (reply) => reply.type('text/html').send(GARBAGE) };
  if (fault.emptyAnswer === when) return { name: 'empty', send: (reply) => reply.type('application/json').send('') };
  const struck = [fault.status3xx, fault.status4xx, fault.status5xx].find((one) => one?.when === when);
  return struck && { name: `HTTP ${struck.status}`, send: (reply, { url }) => statusOnly(reply, struck.status, url) };
}

const GARBAGE = '<html><body>The service is being restored.</body></html>';

const RESET: Disturbance = {
  name: 'reset',
  send(reply, request) {
    reply.hijack();
    request.raw.socket.resetAndDestroy();
    return reply;
  },
};

function statusOnly(reply: FastifyReply, status: number, url: string): FastifyReply {
  if (status < 400) void reply.header('location', url);
  return reply.code(status).type('text/plain').send('');
}

/** Announces the full Content-Length, sends half of the body and closes the connection. */
function truncated(reply: FastifyReply, body: Buffer): FastifyReply {
  const { raw } = reply.hijack();
  raw.writeHead(200, headersOf(body));
  raw.write(body.subarray(0, Math.floor(body.length / 2)), () => raw.socket?.destroySoon());
  return reply;
}

async function drip(reply: FastifyReply, body: Buffer, overMs: number): Promise<void> {
  const { raw } = reply.hijack();
  raw.writeHead(200, headersOf(body));
  for (const byte of body) {
    if (raw.destroyed || raw.socket?.destroyed !== false) return;
    raw.write(Buffer.of(byte));
    await pause(overMs / body.length);
  }
  raw.end();
}

const headersOf = (body: Buffer) => ({
  'content-type': 'application/json; charset=utf-8',
  'content-length': body.length,
});
