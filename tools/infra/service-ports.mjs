/** Chooses the ports of a stack: the usual ones, all of them moved by an offset, or free ones. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts, isPortFree } from './ports.mjs';
import { SERVICES } from './apps.mjs';

const USUAL = { kafka: 9092, redis: 6379, postgres: 5432 };

/** Returns the ports of Kafka, Redis, PostgreSQL and each service, in the shape of SERVICES. KAFKA_PORT and the like may be 0: a free one. */
export async function stackPorts(env, { areFree = false } = {}) {
  const offset = Number(env.STACK_PORT_OFFSET || 0);
  const free = await freePorts(3 + Object.values(SERVICES).flatMap(Object.keys).length);
  const portOf = (usual) => (areFree ? free.pop() : usual + offset);
  const chosen = (variable, usual) => (env[variable] ? Number(env[variable]) || free.pop() : portOf(usual));
  const portsOf = (ports) => Object.fromEntries(Object.entries(ports).map(([which, usual]) => [which, portOf(usual)]));
  return {
    kafka: chosen('KAFKA_PORT', USUAL.kafka),
    redis: chosen('REDIS_PORT', USUAL.redis),
    postgres: chosen('POSTGRES_PORT', USUAL.postgres),
    services: Object.fromEntries(Object.entries(SERVICES).map(([name, ports]) => [name, portsOf(ports)])),
  };
}

/** The ports that are taken, each with the name of what wants it. */
export async function takenPorts(ports, isWanted = () => true) {
  const taken = [];
  for (const one of listedPorts(ports).filter(isWanted)) if (!(await isPortFree(one.port))) taken.push(one);
  return taken;
}

export function listedPorts({ kafka, redis, postgres, services }) {
  const own = Object.entries(services).flatMap(([name, ports]) => Object.values(ports).map((port) => ({ port, name })));
  const servers = { Kafka: kafka, Redis: redis, PostgreSQL: postgres };
  return [...Object.entries(servers).map(([name, port]) => ({ port, name })), ...own];
}

/** The platform calls back and browsers are redirected, so the merchants' file gets the addresses of this run. Other addresses stay. */
export function merchantsOfThisRun(file, services, folder) {
  const text = readFileSync(file, 'utf8');
  const ours = withPortsOfThisRun(text, services);
  if (ours === text) return file;
  const place = join(folder, 'merchants.json');
  writeFileSync(place, ours);
  return place;
}

export function withPortsOfThisRun(text, services) {
  const moved = Object.entries(SERVICES).flatMap(([name, ports]) =>
    Object.entries(ports).map(([which, usual]) => [String(usual), services[name][which]]),
  );
  const portOf = new Map(moved);
  const address = /(http:\/\/(?:127\.0\.0\.1|localhost):)(\d+)/g;
  return text.replace(address, (_, host, port) => `${host}${portOf.get(port) ?? port}`);
}
