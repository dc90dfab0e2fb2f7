import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { waitFor } from '@tranche/testing';
import { freePorts, isPortOpen } from '../infra/ports.mjs';

const STACK = ['tools/dev.mjs', 'stack', '--infra'];

const folders = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/**
 * Starts a tool with its own temporary folder and no infrastructure from the environment. It stays in our process group, so that it ends
 * with the tests.
 */
function startTool(command, args, env) {
  const temporary = mkdtempSync(join(tmpdir(), 'tranche-nothing-stays-'));
  folders.push(temporary);
  const { KAFKA_BROKERS: _kafka, REDIS_URL: _redis, npm_lifecycle_event: _npm, ...rest } = process.env;
  const tool = spawn(command, args, { env: { ...rest, ...env, TMPDIR: temporary } });
  let output = '';
  for (const stream of [tool.stdout, tool.stderr]) stream.on('data', (chunk) => (output += chunk));
  const exited = new Promise((done) => tool.once('exit', (code, signal) => done(code ?? signal)));
  return { tool, temporary, exited, said: (text) => output.includes(text), output: () => output };
}

async function startInfrastructure(command, args) {
  const [kafka, redis] = await freePorts(2);
  const started = startTool(command, args, { KAFKA_PORT: String(kafka), REDIS_PORT: String(redis) });
  const ports = [kafka, redis];
  await waitFor(() => started.said('running until Ctrl-C'), { timeoutMs: 90_000, what: 'Kafka and Redis' }).catch(
    (error) => {
      throw new Error(`${error.message}\n${started.output()}`);
    },
  );
  await expect(Promise.all(ports.map((port) => isPortOpen(port)))).resolves.toEqual([true, true]);
  expect(readdirSync(started.temporary).filter((name) => name.startsWith('tranche-'))).toHaveLength(1);
  return { ...started, ports };
}

async function nothingStays({ ports = [], temporary }, timeoutMs) {
  const isGone = async () => {
    const open = await Promise.all(ports.map((port) => isPortOpen(port)));
    return !open.includes(true) && !readdirSync(temporary).some((name) => name.startsWith('tranche-'));
  };
  await waitFor(isGone, { timeoutMs, what: 'processes, ports and folders to be gone' });
}

describe('stack -- --infra', () => {
  it.each([
    ['SIGINT', 0],
    ['SIGTERM', 0],
  ])(
    'ends by %s, and by then nothing is left',
    async (signal, exitCode) => {
      const stack = await startInfrastructure(process.execPath, STACK);
      stack.tool.kill(signal);
      await expect(stack.exited).resolves.toBe(exitCode);
      await nothingStays(stack, 500);
    },
    120_000,
  );

  it('killed: the guard ends what it left', async () => {
    const stack = await startInfrastructure(process.execPath, STACK);
    stack.tool.kill('SIGKILL');
    await expect(stack.exited).resolves.toBe('SIGKILL');
    await nothingStays(stack, 30_000);
  }, 120_000);

  it('run by npm: a signal to npm ends all of it', async () => {
    const stack = await startInfrastructure('npm', ['run', 'stack', '--', '--infra']);
    stack.tool.kill('SIGTERM');
    await stack.exited;
    await nothingStays(stack, 20_000);
  }, 120_000);

  it('interrupted while Kafka is starting: nothing is left', async () => {
    const [kafka, redis] = await freePorts(2);
    const stack = startTool(process.execPath, STACK, { KAFKA_PORT: String(kafka), REDIS_PORT: String(redis) });
    const isStarting = () =>
      readdirSync(stack.temporary, { recursive: true }).some((name) => /tranche-kafka-/.test(name));
    await waitFor(isStarting, { timeoutMs: 60_000, what: "Kafka's folder" });
    stack.tool.kill('SIGINT');
    await expect(stack.exited).resolves.toBe(0);
    await nothingStays({ ...stack, ports: [kafka, redis] }, 500);
  }, 120_000);

  it('fails while Kafka is starting: says why, and nothing is left', async () => {
    const [kafka, redis] = await freePorts(2);
    const programs = mkdtempSync(join(tmpdir(), 'tranche-programs-'));
    folders.push(programs);
    const refusing = '#!/bin/sh\ntest "$1" = --version && exit 0\necho "no memory" >&2\nexit 1\n';
    writeFileSync(join(programs, 'redis-server'), refusing, { mode: 0o755 });
    const env = {
      KAFKA_PORT: String(kafka),
      REDIS_PORT: String(redis),
      PATH: `${programs}${delimiter}${process.env.PATH}`,
    };
    const stack = startTool(process.execPath, STACK, env);
    await expect(stack.exited).resolves.toBe(1);
    expect(stack.output()).toBe(`Redis on port ${redis}: ended with 1\nno memory\n`);
    await nothingStays({ ...stack, ports: [kafka, redis] }, 500);
  }, 120_000);

  it('says which port is taken', async () => {
    const [kafka, redis] = await freePorts(2);
    const { createServer } = await import('node:net');
    const holder = createServer().listen(redis, '127.0.0.1');
    const stack = startTool(process.execPath, STACK, {
      KAFKA_PORT: String(kafka),
      REDIS_PORT: String(redis),
    });
    await expect(stack.exited).resolves.toBe(1);
    expect(stack.output()).toBe(
      `taken ports: ${redis} of Redis; end who holds them, or use --free-ports or STACK_PORT_OFFSET=1000\n`,
    );
    await new Promise((closed) => holder.close(closed));
    await nothingStays(stack, 20_000);
  }, 120_000);
});

describe('npm run simulator', () => {
  it('stands alone on PORT with the merchants of MERCHANTS_FILE, and ends by SIGTERM', async () => {
    const [port] = await freePorts(1);
    const simulator = startTool(process.execPath, ['tools/dev.mjs', 'simulator'], {
      PORT: String(port),
      MERCHANTS_FILE: 'config/merchants.demo.json',
    });
    const ready = async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok;
    await waitFor(ready, { timeoutMs: 90_000, what: 'the simulator' });
    const ledger = await (await fetch(`http://127.0.0.1:${port}/simulator/ledger`)).json();
    expect(ledger.operations).toEqual([]);
    simulator.tool.kill('SIGTERM');
    await expect(simulator.exited).resolves.toBe(0);
    await nothingStays({ ports: [port], temporary: simulator.temporary }, 500);
  }, 120_000);
});
