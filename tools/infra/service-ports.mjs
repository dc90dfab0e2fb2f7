/** Which port each service of a stack listens on: its usual one, another by a variable, or any that is free. */
import { freePorts } from './ports.mjs';
import { SERVICES } from './services.mjs';

const USUAL = { kafka: 9092, redis: 6379 };
const SUFFIX = { port: 'PORT', managementPort: 'MANAGEMENT_PORT' };

/** STACK_AUTH_SERVICE_PORT, STACK_AUTH_SERVICE_MANAGEMENT_PORT and so on. */
export const PORT_VARIABLES = Object.entries(SERVICES).flatMap(([name, ports]) =>
  Object.entries(ports).map(([which, usual]) => ({
    variable: `STACK_${name.toUpperCase().replaceAll('-', '_')}_${SUFFIX[which]}`,
    name: which === 'port' ? name : `${name}, management`,
    service: name,
    which,
    usual,
  })),
);

/** Of Kafka and Redis, and of every service in the shape of SERVICES. `isAnyFree`: whoever is not named gets a free port. 0 asks for one, too. */
export async function stackPorts(env, { isAnyFree = false } = {}) {
  const offset = Number(env.STACK_PORT_OFFSET || 0);
  const free = await freePorts(PORT_VARIABLES.length + 2);
  const chosen = (variable, usual) => Number(env[variable] || (isAnyFree ? 0 : usual + offset)) || free.pop();
  const services = {};
  for (const { variable, service, which, usual } of PORT_VARIABLES)
    (services[service] ??= {})[which] = chosen(variable, usual);
  return { kafka: chosen('KAFKA_PORT', USUAL.kafka), redis: chosen('REDIS_PORT', USUAL.redis), services };
}

/** `[{ port, name, variable }]` of all of them. */
export function listedPorts({ kafka, redis, services }) {
  return [
    { port: kafka, name: 'Kafka', variable: 'KAFKA_PORT' },
    { port: redis, name: 'Redis', variable: 'REDIS_PORT' },
    ...PORT_VARIABLES.map(({ service, which, name, variable }) => ({ port: services[service][which], name, variable })),
  ];
}

/** A file's text with the usual addresses of the services replaced by those of this run; addresses elsewhere stay. */
export function withPortsOfThisRun(text, services) {
  const usual = new Map(
    PORT_VARIABLES.map(({ service, which, usual: port }) => [String(port), services[service][which]]),
  );
  return text.replace(
    /(http:\/\/(?:127\.0\.0\.1|localhost):)(\d+)/g,
    (_, host, port) => `${host}${usual.get(port) ?? port}`,
  );
}
