/** Chooses the port of each service in a stack: its usual one, one from a variable, or a free one. */
import { freePorts } from './ports.mjs';
import { SERVICES } from './services.mjs';

const USUAL = { kafka: 9092, redis: 6379 };
const SUFFIX = { port: 'PORT', managementPort: 'MANAGEMENT_PORT' };

/** Variables are named STACK_AUTH_SERVICE_PORT, STACK_AUTH_SERVICE_MANAGEMENT_PORT and so on. */
export const PORT_VARIABLES = Object.entries(SERVICES).flatMap(([name, ports]) =>
  Object.entries(ports).map(([which, usual]) => ({
    variable: `STACK_${name.toUpperCase().replaceAll('-', '_')}_${SUFFIX[which]}`,
    name: which === 'port' ? name : `${name}, management`,
    service: name,
    which,
    usual,
  })),
);

/**
 * Returns the ports of Kafka, Redis and every service, in the shape of SERVICES. 0 means a free port; with `isAnyFree`, so does a missing
 * variable.
 */
export async function stackPorts(env, { isAnyFree = false } = {}) {
  const offset = Number(env.STACK_PORT_OFFSET || 0);
  const free = await freePorts(PORT_VARIABLES.length + 2);
  const chosen = (variable, usual) => Number(env[variable] || (isAnyFree ? 0 : usual + offset)) || free.pop();
  const services = {};
  for (const { variable, service, which, usual } of PORT_VARIABLES)
    (services[service] ??= {})[which] = chosen(variable, usual);
  return { kafka: chosen('KAFKA_PORT', USUAL.kafka), redis: chosen('REDIS_PORT', USUAL.redis), services };
}

export function listedPorts({ kafka, redis, services }) {
  return [
    { port: kafka, name: 'Kafka', variable: 'KAFKA_PORT' },
    { port: redis, name: 'Redis', variable: 'REDIS_PORT' },
    ...PORT_VARIABLES.map(({ service, which, name, variable }) => ({ port: services[service][which], name, variable })),
  ];
}

/** Replaces the services' usual addresses in a text by those of this run; other addresses stay. */
export function withPortsOfThisRun(text, services) {
  const usual = new Map(
    PORT_VARIABLES.map(({ service, which, usual: port }) => [String(port), services[service][which]]),
  );
  return text.replace(
    /(http:\/\/(?:127\.0\.0\.1|localhost):)(\d+)/g,
    (_, host, port) => `${host}${usual.get(port) ?? port}`,
  );
}
