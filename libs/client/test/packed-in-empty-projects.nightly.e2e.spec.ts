import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publisherOfTests, startShopWorld } from '@tranche/testing';
import { npmInstall, pack, PACKED, temporaryFolder, writeProject, type PackedName } from './packed.js';

const folder = temporaryFolder();
let tarballs: Record<PackedName, string>;
beforeAll(() => void (tarballs = pack(folder)), 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program of the project's packages, or node itself. */
function run(project: string, program: string, args: string[], env: Record<string, string> = {}) {
  const command = program === 'node' ? process.execPath : join(project, 'node_modules/.bin', program);
  const { NODE_OPTIONS: _options, NODE_ENV: _env, JEST_WORKER_ID: _worker, ...rest } = process.env;
  const result = spawnSync(command, args, {
    cwd: project,
    encoding: 'utf8',
    env: { ...rest, ...env },
    timeout: 300_000,
  });
  return { status: result.status, stdout: result.stdout.trim(), stderr: result.stderr.trim() };
}

describe('the tools that judge packages find no fault', () => {
  const project = join(folder, 'tools');

  it.each(PACKED)(
    'publint, of %s',
    (name) => {
      if (!npmInstall(project, 'publint@0.3.15')) return;
      const { status, stdout, stderr } = run(project, 'publint', ['--strict', tarballs[name]]);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toContain('All good!');
    },
    600_000,
  );

  it.each(PACKED)(
    'attw, of %s, for node10, node16 and bundlers',
    (name) => {
      if (!npmInstall(project, '@arethetypeswrong/cli@0.18.5')) return;
      // A page loads this file by a script element.
      const notModules = ['--exclude-entrypoints', 'card-encryption.global.js'];
      const { status, stdout } = run(project, 'attw', [
        tarballs[name],
        '--format',
        'ascii',
        '--no-emoji',
        ...notModules,
      ]);
      expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('No problems found') as string });
    },
    600_000,
  );
});

it('is loaded with 150 ms of the processor at most', () => {
  const project = join(folder, 'loaded');
  if (!npmInstall(project, tarballs.client)) return;
  const costs = ["require('@tranche/client')", "await import('@tranche/client')"].map((load) => {
    const program = `const begun = process.cpuUsage(); ${load};
      const { user, system } = process.cpuUsage(begun); console.log((user + system) / 1000);`;
    const args = load.startsWith('await') ? ['--input-type=module', '-e', program] : ['-e', program];
    return Math.min(...[1, 2, 3, 4, 5].map(() => Number(run(project, 'node', args).stdout)));
  });
  console.info(`processor time to load the client: ${costs.map((ms) => `${ms.toFixed(0)} ms`).join(' and ')}`);
  expect(Math.max(...costs)).toBeLessThan(150);
}, 600_000);

/** A service's test with the double. It is the same for every runner; only the modules differ. */
const TEST = `
  test('a refund waits for the capture', async () => {
    const tranche = new InMemoryTranche({ merchants: [{ merchant: 'shop-fr', market: 'FR', currency: 'EUR' }] });
    tranche.on('payment.capture', () => ({ type: 'payment.capture.succeeded' }));
    const command = { merchant: 'shop-fr', orderId: 'order-1', description: 'Sent' };
    const { type } = await tranche.publisher.captureAndWait(command, { id: newCommandId(), rail: 'partner-a' });
    expect(type).toBe('payment.capture.succeeded');
    const wrong = tranche.publisher.refund({ ...command, amount: 0 }, { id: newCommandId(), rail: 'partner-a' });
    await expect(wrong).rejects.toThrow(/amount must be an integer/);
  });`;
const IMPORTS = `import { newCommandId } from '@tranche/client';
  import { InMemoryTranche } from '@tranche/client/testing';`;

describe('the double is loaded with default settings', () => {
  it.each([
    [
      'Jest',
      ['jest@30.2.0'],
      {
        'shop.test.js': `const { newCommandId } = require('@tranche/client');
      const { InMemoryTranche } = require('@tranche/client/testing');${TEST}`,
      },
      'jest',
      [],
    ],
    [
      'ts-jest',
      ['jest@30.2.0', 'ts-jest@29.4.5', '@types/jest@30.0.0', '@types/node@20', 'typescript@5.9.3'],
      {
        'jest.config.js': "module.exports = { preset: 'ts-jest', testEnvironment: 'node' };",
        'tsconfig.json': {
          compilerOptions: { target: 'es2022', module: 'commonjs', strict: true, esModuleInterop: true },
        },
        'shop.test.ts': `${IMPORTS}${TEST}`,
      },
      'jest',
      [],
    ],
    [
      'Vitest',
      ['vitest@4.0.8'],
      { 'shop.test.ts': `import { expect, test } from 'vitest';${IMPORTS}${TEST}` },
      'vitest',
      ['run'],
    ],
  ] as [string, string[], Record<string, string | object>, string, string[]][])(
    '%s',
    (name, packages, files, program, args) => {
      const project = join(folder, name);
      if (!npmInstall(project, tarballs.client, ...packages)) return;
      writeProject(project, files);
      const { status, stdout, stderr } = run(project, program, args);
      expect({ status, output: stdout + stderr }).toEqual({
        status: 0,
        output: expect.stringMatching(/1 passed/) as string,
      });
      expect(stdout + stderr).not.toMatch(/warning/i);
    },
    600_000,
  );
});

/** The payment of examples/quickstart in a Nest application, and a route that answers what the client refuses. */
const NEST_SHOP = `
  import 'reflect-metadata';
  import { readFileSync } from 'node:fs';
  import { Controller, Injectable, Module, Post } from '@nestjs/common';
  import { NestFactory } from '@nestjs/core';
  import { decodeRedirectHtml, newCommandId, type EventOf } from '@tranche/client';
  import { OnPaymentEvent, Publisher, TrancheModule } from '@tranche/client/nest';

  const { KAFKA_BROKERS = '', KAFKA_TOPIC_PREFIX = '', KEY_FILE = '' } = process.env;
  const order = { merchant: 'shop-fr', orderId: 'nest-' + Date.now() };
  const place = { address: '12 rue des Lilas', postalCode: '75011', city: 'Paris', country: 'FR' };
  const person = { firstName: 'Jeanne', lastName: 'Martin', mobilePhone: '+33612345678', ...place };
  const client = { id: 'customer-1', email: 'jeanne@example.com', ip: '203.0.113.10', userAgent: 'Mozilla/5.0' };

  @Injectable()
  class Orders {
    paid!: () => void;
    readonly isPaid = new Promise<void>((resolve) => (this.paid = resolve));

    constructor(readonly publisher: Publisher) {}

    @OnPaymentEvent('payment.authorize.succeeded')
    authorized({ data }: EventOf<'payment.authorize.succeeded'>): void {
      if (data.orderId === order.orderId) this.paid();
    }

    async pay(): Promise<string[]> {
      const authorization = { ...order, amount: 30000, description: 'Three chairs', billing: person, shipping: person, client };
      const asked = await this.publisher.authorizeAndWait(
        { ...authorization, paymentOption: 'partnerA-3xcb', cart: [{ totalAmount: 30000 }] },
        { id: newCommandId() },
      );
      if (asked.type !== 'payment.authorize.redirect_required' || asked.data.redirectHtmlDropped) return [asked.type];
      const [, form = ''] = /action="([^"]+)"/.exec(decodeRedirectHtml(asked.data.redirectHtml)) ?? [];
      await fetch(form, { method: 'POST', body: new URLSearchParams({ decision: 'validate' }), redirect: 'manual' });
      await this.isPaid;
      const options = () => ({ id: newCommandId(), rail: 'partner-a' as const });
      const captured = await this.publisher.captureAndWait({ ...order, description: 'Sent' }, options());
      const refunded = await this.publisher.refundAndWait({ ...order, amount: 10000, description: 'Back' }, options());
      return [asked.type, captured.type, refunded.type];
    }
  }

  @Controller()
  class Refunds {
    constructor(private readonly publisher: Publisher) {}

    @Post('refund')
    async refund(): Promise<void> {
      await this.publisher.refund({ ...order, amount: 0, description: 'Back' }, { id: newCommandId(), rail: 'partner-a' });
    }
  }

  const signing = { kid: 'k1', environmentId: 'tests', privateKey: readFileSync(KEY_FILE, 'utf8') };
  const tranche = { brokers: KAFKA_BROKERS.split(','), clientId: 'nest-shop', topicPrefix: KAFKA_TOPIC_PREFIX, signing };
  @Module({
    imports: [TrancheModule.forRoot({ client: tranche, subscription: { group: order.orderId } })],
    providers: [Orders],
    controllers: [Refunds],
  })
  class Shop {}

  async function main() {
    const app = await NestFactory.create(Shop, { logger: false });
    await app.listen(0, '127.0.0.1');
    const types = await app.get(Orders).pay();
    const refused = await fetch((await app.getUrl()) + '/refund', { method: 'POST' });
    const { message } = (await refused.json()) as { message: string };
    console.log([...types, refused.status, message].join('\\n'));
    await app.close();
  }
  void main();`;

describe('a Nest application pays, captures and refunds, and answers 400 to what the client refuses', () => {
  let world: Awaited<ReturnType<typeof startShopWorld>>;
  let env: Record<string, string>;
  beforeAll(async () => {
    const { privateKey } = publisherOfTests();
    world = await startShopWorld({ merchant: { requireSignatures: true } });
    const KEY_FILE = join(folder, 'key.pem');
    writeFileSync(KEY_FILE, privateKey.export({ format: 'pem', type: 'pkcs8' }));
    env = { KEY_FILE, KAFKA_BROKERS: world.env['KAFKA_BROKERS']!, KAFKA_TOPIC_PREFIX: world.prefix };
  }, 600_000);
  afterAll(() => world.stop());

  it.each([
    ['11', '5.9.3', 'commonjs'],
    ['12', '6.0.3', 'module'],
  ])(
    'Nest %s, TypeScript %s, %s',
    (nest, typescript, type) => {
      const project = join(folder, `nest-${nest}`);
      writeProject(project, {
        'package.json': { type },
        'shop.ts': NEST_SHOP,
        'tsconfig.json': {
          compilerOptions: {
            ...{ target: 'es2023', module: 'nodenext', strict: true, skipLibCheck: true, outDir: 'dist', rootDir: '.' },
            ...{ experimentalDecorators: true, emitDecoratorMetadata: true, types: ['node'] },
          },
          files: ['shop.ts'],
        },
      });
      const begunMs = performance.now();
      const ofNest = ['common', 'core', 'platform-express'].map((name) => `@nestjs/${name}@${nest}`);
      const others = ['reflect-metadata@0.2', 'rxjs@7', `typescript@${typescript}`, '@types/node@22'];
      if (!npmInstall(project, tarballs.client, ...ofNest, ...others)) return;
      expect(run(project, 'tsc', [])).toEqual({ status: 0, stdout: '', stderr: '' });
      const { status, stdout, stderr } = run(project, 'node', ['dist/shop.js'], env);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout.split('\n')).toEqual([
        'payment.authorize.redirect_required',
        'payment.capture.succeeded',
        'payment.refund.succeeded',
        '400',
        'payment.refund was not published: amount must be an integer of at least 1 (range)',
      ]);
      const seconds = ((performance.now() - begunMs) / 1000).toFixed(1);
      console.info(`Nest ${nest}, from an empty folder to the refund: ${seconds} s`);
    },
    600_000,
  );
});
