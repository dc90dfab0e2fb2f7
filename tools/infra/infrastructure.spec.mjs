import { TOPICS } from '@tranche/contracts';
import { kafkaVariable } from './docker.mjs';
import { brokerSettings } from './kafka.mjs';
import { pom } from './maven.mjs';
import { freePorts, isPortFree, isPortOpen, PORTS, portOpens } from './ports.mjs';
import { redisArguments } from './redis.mjs';
import { createServer } from 'node:net';

describe('the test broker', () => {
  const settings = brokerSettings({ port: 19_092, controllerPort: 19_093, folder: '/tmp/x' });

  it('listens on this machine only', () => {
    expect(settings.listeners).toBe('PLAINTEXT://127.0.0.1:19092,CONTROLLER://127.0.0.1:19093');
  });

  it('takes the largest record of the topics and creates none by itself', () => {
    const largest = Math.max(...Object.values(TOPICS).map(({ maxMessageBytes }) => maxMessageBytes));
    expect(Number(settings['message.max.bytes'])).toBeGreaterThanOrEqual(largest);
    expect(settings['auto.create.topics.enable']).toBe('false');
  });

  it('lets tests have short sessions', () => {
    expect(settings['group.min.session.timeout.ms']).toBe('1000');
  });

  it('has the same settings in a container, under the image names', () => {
    expect(kafkaVariable('log.dirs')).toBe('KAFKA_LOG_DIRS');
  });
});

it('Redis keeps an append-only file and evicts nothing', () => {
  expect(redisArguments({ port: 1, folder: '/tmp/x' }).join(' ')).toBe(
    '--port 1 --bind 127.0.0.1 --dir /tmp/x --appendonly yes --appendfsync no --save  --maxmemory-policy noeviction --daemonize no',
  );
});

it('a pom names its dependencies', () => {
  expect(pom([['g', 'a', '1']])).toContain(
    '<dependency><groupId>g</groupId><artifactId>a</artifactId><version>1</version></dependency>',
  );
});

describe('ports', () => {
  it('are free when they are given out, no two are the same, and no system gives them to a connection', async () => {
    const ports = (await Promise.all([freePorts(5), freePorts(5)])).flat();
    expect(new Set(ports).size).toBe(10);
    for (const port of ports) expect(port >= PORTS.from && port < PORTS.to).toBe(true);
    await expect(Promise.all(ports.map((port) => isPortFree(port)))).resolves.toEqual(ports.map(() => true));
  });

  it('are taken or open while somebody listens', async () => {
    const server = createServer();
    await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address();
    await expect(Promise.all([isPortFree(port), isPortOpen(port)])).resolves.toEqual([false, true]);
    await new Promise((closed) => server.close(closed));
    await expect(isPortOpen(port)).resolves.toBe(false);
  });

  it('say why they never open', async () => {
    const [port] = await freePorts(1);
    await expect(portOpens(port, { what: 'Kafka', timeoutMs: 60 })).rejects.toThrow(
      `Kafka on port ${port}: not there after 60 ms`,
    );
    await expect(portOpens(port, { what: 'Kafka', timeoutMs: 60_000, gaveUp: () => 'ended with 1' })).rejects.toThrow(
      'ended with 1',
    );
  });
});
