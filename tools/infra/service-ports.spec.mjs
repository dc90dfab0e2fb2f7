import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listedPorts, merchantsOfThisRun, stackPorts } from './service-ports.mjs';
import { SERVICES } from './apps.mjs';

it('are the usual ones', async () => {
  await expect(stackPorts({})).resolves.toEqual({ kafka: 9092, redis: 6379, postgres: 5432, services: SERVICES });
});

it('are all others for a second stack', async () => {
  const first = listedPorts(await stackPorts({})).map(({ port }) => port);
  const second = await stackPorts({ STACK_PORT_OFFSET: '1000' });
  expect(listedPorts(second).filter(({ port }) => first.includes(port))).toEqual([]);
  expect(second.services['auth-service']).toEqual({ port: 5030, managementPort: 5130 });
  expect(second.services['platform-simulator']).toEqual({ port: 5010 });
});

it('are free ones where that is asked for', async () => {
  const { kafka } = await stackPorts({ KAFKA_PORT: '0' });
  expect(kafka).not.toBe(9092);
  const free = listedPorts(await stackPorts({ REDIS_PORT: '7379' }, { areFree: true }));
  expect(new Set(free.map(({ port }) => port)).size).toBe(free.length);
  expect(free.find(({ name }) => name === 'Redis').port).toBe(7379);
});

it('replace the usual ones in the merchants’ addresses of this machine only', async () => {
  const { services } = await stackPorts({ STACK_PORT_OFFSET: '1000' });
  const folder = mkdtempSync(join(tmpdir(), 'service-ports-'));
  const file = join(folder, 'given.json');
  writeFileSync(
    file,
    '"http://127.0.0.1:4020/notifications" "http://localhost:4050/x" "http://127.0.0.1:9999/" "https://shop.example.com:4020/"',
  );
  expect(readFileSync(merchantsOfThisRun(file, services, folder), 'utf8')).toBe(
    '"http://127.0.0.1:5020/notifications" "http://localhost:5050/x" "http://127.0.0.1:9999/" "https://shop.example.com:4020/"',
  );
  rmSync(folder, { recursive: true });
});
