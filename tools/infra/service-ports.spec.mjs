import { listedPorts, PORT_VARIABLES, stackPorts, withPortsOfThisRun } from './service-ports.mjs';
import { SERVICES } from './services.mjs';

it('are the usual ones', async () => {
  await expect(stackPorts({})).resolves.toEqual({ kafka: 9092, redis: 6379, services: SERVICES });
});

it('are all others for a second stack, and single ones have a variable each', async () => {
  const first = listedPorts(await stackPorts({})).map(({ port }) => port);
  const env = { STACK_PORT_OFFSET: '1000', STACK_AUTH_SERVICE_PORT: '7001', STACK_AUTH_SERVICE_MANAGEMENT_PORT: '' };
  const second = await stackPorts(env);
  expect(listedPorts(second).filter(({ port }) => first.includes(port))).toEqual([]);
  expect(second.services['auth-service']).toEqual({ port: 7001, managementPort: 5130 });
  expect(second.services['platform-simulator']).toEqual({ port: 5010 });
});

it('are free ones where 0 or nothing else is asked for', async () => {
  const { kafka } = await stackPorts({ KAFKA_PORT: '0' });
  expect(kafka).not.toBe(9092);
  const { services } = await stackPorts({ STACK_CHECKOUT_DEMO_PORT: '7050' }, { isAnyFree: true });
  expect(services['checkout-demo'].port).toBe(7050);
  const ports = PORT_VARIABLES.map(({ service, which }) => services[service][which]);
  expect(new Set(ports).size).toBe(PORT_VARIABLES.length);
});

it('replace the usual ones in addresses of this machine only', async () => {
  const { services } = await stackPorts({ STACK_PORT_OFFSET: '1000' });
  const text =
    '"http://127.0.0.1:4020/notifications" "http://localhost:4050/x" "http://127.0.0.1:9999/" "https://shop.example.com:4020/"';
  expect(withPortsOfThisRun(text, services)).toBe(
    '"http://127.0.0.1:5020/notifications" "http://localhost:5050/x" "http://127.0.0.1:9999/" "https://shop.example.com:4020/"',
  );
});
