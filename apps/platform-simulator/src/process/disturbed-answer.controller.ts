import type { FastifyReply, FastifyRequest } from 'fastify';
import { pause, type Disturbance } from './interference.service.js';

export function disturb(request: FastifyRequest, reply: FastifyReply, disturbance: Disturbance): FastifyReply {
  switch (disturbance.kind) {
    case 'status':
      if (disturbance.status < 400) void reply.header('location', request.url);
      return reply.code(disturbance.status).type('text/plain').send('');
    case 'unauthorized':
      return unauthorized(reply);
    case 'reset':
      reply.hijack();
      request.raw.socket.resetAndDestroy();
      return reply;
    case 'hang':
      return reply.hijack();
    case 'garbage':
      return reply.code(200).type('text/html').send('<html><body>The service is being restored.</body></html>');
    case 'empty':
      return reply.code(200).type('application/json').send('');
    case 'truncated':
      return truncated(reply, Buffer.from(JSON.stringify(disturbance.answer)));
    case 'dripping':
      void drip(reply, Buffer.from(JSON.stringify(disturbance.answer)), disturbance.overMs);
      return reply;
  }
}

export function unauthorized(reply: FastifyReply): FastifyReply {
  return reply
    .code(401)
    .header('www-authenticate', 'Bearer error="invalid_token"')
    .send({ error: 'invalid_token', error_description: 'The access token is missing, expired or unknown.' });
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
