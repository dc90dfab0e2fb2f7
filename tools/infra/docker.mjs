/** Starts the same infrastructure from the official images, if a Docker engine answers. */
import { randomBytes } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { brokerSettings, KAFKA_VERSION } from './kafka.mjs';
import { portOpens } from './ports.mjs';
import { redisArguments } from './redis.mjs';

const KAFKA_IMAGE = `apache/kafka:${KAFKA_VERSION}`;
const REDIS_IMAGE = 'redis:7.4-alpine';
const POSTGRES_IMAGE = 'postgres:18-alpine';
const PULL_TIMEOUT_MS = 300_000;

export function isEngineThere() {
  const { status, stdout } = spawnSync('docker', ['info', '--format', '{{.ServerVersion}}'], {
    timeout: 3_000,
    encoding: 'utf8',
  });
  return status === 0 && stdout.trim() !== '';
}

export async function startKafkaContainer({ held, port, log }) {
  const settings = brokerSettings({ port, controllerPort: 9093, folder: '/tmp/kafka', host: '0.0.0.0' });
  settings['controller.quorum.voters'] = '1@127.0.0.1:9093';
  const environment = Object.entries(settings).flatMap(([name, value]) => ['--env', `${kafkaVariable(name)}=${value}`]);
  const process = runContainer({ held, log, image: KAFKA_IMAGE, port, options: environment });
  await portOpens(port, { what: 'Kafka', timeoutMs: PULL_TIMEOUT_MS, gaveUp: process.gaveUp });
  return { brokers: `127.0.0.1:${port}`, process };
}

export async function startRedisContainer({ held, port, log }) {
  const args = ['redis-server', ...redisArguments({ port, folder: '/data', host: '0.0.0.0' })];
  const process = runContainer({ held, log, image: REDIS_IMAGE, port, options: [], args });
  await portOpens(port, { what: 'Redis', timeoutMs: PULL_TIMEOUT_MS, gaveUp: process.gaveUp });
  return { redisUrl: `redis://127.0.0.1:${port}`, process };
}

/** `portOpens` of the caller waits for it: an image is pulled first. */
export function startPostgresContainer({ held, port, log, user, args }) {
  const options = ['--env', `POSTGRES_USER=${user}`, '--env', 'POSTGRES_DB=postgres', '--env', 'POSTGRES_HOST_AUTH_METHOD=trust']; // prettier-ignore
  return runContainer({ held, log, image: POSTGRES_IMAGE, port, options, args: ['postgres', ...args] });
}

/** The image reads `log.dirs` from KAFKA_LOG_DIRS. */
export const kafkaVariable = (setting) => `KAFKA_${setting.toUpperCase().replaceAll('.', '_')}`;

function runContainer({ held, log, image, port, options, args = [] }) {
  const name = `tranche-${randomBytes(6).toString('hex')}`;
  log(`starting ${image}`);
  held.container(name);
  return held.start('docker', [
    'run',
    '--rm',
    '--name',
    name,
    '--publish',
    `127.0.0.1:${port}:${port}`,
    ...options,
    image,
    ...args,
  ]);
}
