import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import {
  Body,
  Controller,
  Get,
  Module,
  Post,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
  type OnModuleInit,
} from '@nestjs/common';
import { IsString } from 'class-validator';
import { holderOfKey, Secret } from './secret.js';
import { loadConfig } from './config.js';
import { KitConfig } from './kit.config.js';
import { createLogger } from './logger.js';
import { ServiceProcess } from './service-process.js';

const KEY = 'canary-key-of-alice-that-is-long-enough';
const people = [{ name: 'alice', key: new Secret(KEY) }];
const gate = new EventEmitter();

class Guard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    holderOfKey(
      people,
      context.switchToHttp().getRequest<{ headers: { authorization?: string } }>().headers.authorization,
    );
    return true;
  }
}

class Word {
  @IsString()
  word: string;
}

@Controller('v1')
@UseGuards(Guard)
class Words {
  @Get('words')
  words() {
    return { words: [] };
  }

  @Post('words')
  add(@Body() { word }: Word) {
    return { word };
  }

  @Get('slow')
  async slow() {
    gate.emit('entered');
    await once(gate, 'open');
    return { done: true };
  }
}

@Module({ controllers: [Words] })
class WordsModule implements OnModuleInit {
  async onModuleInit() {
    gate.emit('starting');
    await once(gate, 'start');
  }
}

class Settings {}

describe('controllers of a service without a public port', () => {
  const lines: string[] = [];
  const running = new ServiceProcess(
    { name: 'words', Config: Settings, module: () => WordsModule, managementPort: () => 0, limits: { bodyBytes: 100 } },
    new Settings(),
    loadConfig(KitConfig, { BIND_ADDRESS: '127.0.0.1', LOG_LEVEL: 'debug' }),
    createLogger({ name: 'words', level: 'debug', destination: { write: (line) => void lines.push(line) } }),
  );
  const authorization = `Bearer ${KEY}`;
  const json = { 'content-type': 'application/json' };

  async function at(path: string, init: RequestInit = { headers: { authorization } }) {
    const response = await fetch(`http://127.0.0.1:${running.managementPort}${path}`, init);
    const text = await response.text();
    return { status: response.status, type: response.headers.get('content-type'), headers: response.headers, text };
  }

  beforeAll(async () => {
    const starting = once(gate, 'starting');
    const started = running.start();
    await starting;
    expect(await at('/v1/words')).toMatchObject({ status: 503, type: 'application/problem+json; charset=utf-8' });
    expect((await at('/health/live')).status).toBe(200);
    gate.emit('start');
    await started;
  });

  it('answer on the management port, beside health and metrics, which stay open', async () => {
    expect(await at('/v1/words')).toMatchObject({ status: 200, text: '{"words":[]}' });
    const statuses = ['/health/live', '/health/ready', '/metrics'].map(async (path) => (await at(path, {})).status);
    expect(await Promise.all(statuses)).toEqual([200, 200, 200]);
    expect((await at('/metrics', {})).text).toContain('route="/v1/words"');
  });

  it.each([
    ['no key', {}],
    ['a wrong key', { authorization: 'Bearer canary-wrong' }],
    ['another scheme', { authorization: `Basic ${KEY}` }],
  ])('refuse %s', async (_, headers: Record<string, string>) => {
    const refused = await at('/v1/words', { headers });
    expect(refused).toMatchObject({ status: 401, type: 'application/problem+json; charset=utf-8' });
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'unauthorized' });
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each([
    ['GET', '/v1/nothing', {}, undefined, 404, 'not_found'],
    ['POST', '/health/live', {}, undefined, 404, 'not_found'],
    ['POST', '/v1/words', json, '{"word":1}', 400, 'invalid_request'],
    ['POST', '/v1/words', json, '{"word":', 400, 'malformed_request'],
    ['POST', '/v1/words', json, JSON.stringify({ word: 'x'.repeat(100) }), 413, 'payload_too_large'],
    ['POST', '/v1/words', { 'content-type': 'text/plain' }, 'word', 415, 'unsupported_media_type'],
  ])('answer %s %s (%j, %s) with a problem', async (method, path, headers, body, status, code) => {
    const refused = await at(path, { method, headers: { authorization, ...headers } as Record<string, string>, body });
    expect(refused).toMatchObject({ status, type: 'application/problem+json; charset=utf-8' });
    expect(JSON.parse(refused.text)).toMatchObject({ code });
  });

  it.each([
    ['what is no HTTP', 'nonsense\r\n\r\n', 400, 'malformed_request'],
    [
      'a body that does not end',
      `POST /v1/words HTTP/1.1\r\nhost: h\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{`,
      408,
      'request_timeout',
    ],
  ])(
    'cut off %s',
    async (_, request, status, code) => {
      const socket = connect(running.managementPort ?? 0, '127.0.0.1');
      socket.write(request);
      let answer = '';
      socket.on('data', (part) => (answer += part.toString()));
      await once(socket, 'close');
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).toContain(code);
    },
    15_000,
  );

  it('answer 503 once the service stops, and keep no key in the log', async () => {
    const entered = once(gate, 'entered');
    const slow = at('/v1/slow');
    await entered;
    const stopped = running.stop('test');
    const late = await at('/v1/words').catch((error: unknown) => error);
    expect(late).toMatchObject({ status: 503 });
    gate.emit('open');
    expect(await slow).toMatchObject({ status: 200, text: '{"done":true}' });
    await stopped;
    expect(lines.join('')).not.toContain('canary');
    expect(lines.join('')).toContain('request refused or failed');
  });
});
