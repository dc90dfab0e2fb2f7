/** Starts one Kafka broker for development and tests: KRaft, one node, with jars from Maven. */
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fetchThroughMaven } from './maven.mjs';
import { NO_TRACES } from './packages.mjs';
import { portOpens } from './ports.mjs';

const USUAL_KAFKA_VERSION = '4.1.1';
export const KAFKA_VERSION = process.env.KAFKA_VERSION || USUAL_KAFKA_VERSION;
const LOG4J_VERSION = '2.25.1';
const JOSE4J_VERSION = '0.9.6';
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;

/** Settings of the test broker. Only the broker itself connects to `controllerPort`. */
export function brokerSettings({ port, controllerPort, folder, host = '127.0.0.1' }) {
  return {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@${host}:${controllerPort}`,
    listeners: `PLAINTEXT://${host}:${port},CONTROLLER://${host}:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': folder,
    'auto.create.topics.enable': 'false',
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '5',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'transaction.state.log.num.partitions': '5',
    'share.coordinator.state.topic.replication.factor': '1',
    'share.coordinator.state.topic.min.isr': '1',
    'group.initial.rebalance.delay.ms': '0',
    'group.min.session.timeout.ms': '1000',
    'message.max.bytes': String(MAX_MESSAGE_BYTES),
    'replica.fetch.max.bytes': String(MAX_MESSAGE_BYTES),
    'log.cleaner.dedupe.buffer.size': String(4 * 1024 * 1024),
  };
}

/**
 * Settings of one of several brokers, each also a controller. `all` lists their ports in order. Topics have three replicas, and two must
 * acknowledge.
 */
export function clusterSettings(at, all, folder = 'FOLDER') {
  const { port, controllerPort } = all[at];
  return {
    ...brokerSettings({ port, controllerPort, folder }),
    'node.id': String(at + 1),
    'controller.quorum.voters': all.map((one, index) => `${index + 1}@127.0.0.1:${one.controllerPort}`).join(','),
    'log.dirs': `${folder}/records`,
    'metadata.log.dir': `${folder}/controller`,
    'min.insync.replicas': '2',
    'unclean.leader.election.enable': 'false',
    'offsets.topic.replication.factor': '3',
    'transaction.state.log.replication.factor': '3',
    'transaction.state.log.min.isr': '2',
    'share.coordinator.state.topic.replication.factor': '3',
    'share.coordinator.state.topic.min.isr': '2',
  };
}

/** Quick to start: the second compiler would take the cores of a test run. */
const QUICK_JVM = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
/** Kafka's own start script has these options. */
const SHIPPED_JVM = ['-server', '-Xms1g', '-XX:+UseG1GC', '-XX:MaxGCPauseMillis=20', '-XX:InitiatingHeapOccupancyPercent=35', '-XX:+ExplicitGCInvokesConcurrent']; // prettier-ignore

/**
 * Starts the broker from the jars; resolves when it accepts connections. `settings` and `javaOptions` override the test broker's.
 * `isMeasured`: its Java is as people run it, not quick to start.
 */
export async function startKafka(options) {
  const { held, port, controllerPort, log, settings: own = {}, javaOptions = [], isMeasured = false } = options;
  const java = [...javaOptions, ...(await kafkaCommand({ held, log, isMeasured }))];
  const folder = held.folder('tranche-kafka-');
  const settings = { ...brokerSettings({ port, controllerPort, folder: join(folder, 'log') }), ...own };
  const broker = await startBroker({ held, java, folder, settings });
  await portOpens(port, { what: 'Kafka', timeoutMs: 180_000, gaveUp: broker.gaveUp });
  return { brokers: `127.0.0.1:${port}`, process: broker };
}

/** Formats the folder of a broker and starts it. The brokers of a cluster have the same `id`. */
export async function startBroker({ held, java, folder, settings, id = clusterId() }) {
  const properties = join(folder, 'server.properties');
  writeFileSync(properties, Object.entries(settings).map(([name, value]) => `${name}=${value}\n`).join('')); // prettier-ignore
  const format = ['kafka.tools.StorageTool', 'format', '-t', id, '-c', properties];
  await held.run('java', [...java, ...format], { disposable: true });
  return held.start('java', [...java, 'kafka.Kafka', properties], { disposable: true });
}

/** Returns the arguments of `java` up to the main class: `kafka.Kafka`, or `kafka.tools.StorageTool` to format its folder. */
export async function kafkaCommand({ held, log, isMeasured = false }) {
  const jars = await kafkaJars({ held, log });
  // A test run leaves some 15,000 partitions on its broker; with 512 MiB it stopped for seconds at a time.
  return [NO_TRACES, '-Xmx1g', ...(isMeasured ? SHIPPED_JVM : QUICK_JVM), '-cp', join(jars, '*')];
}

const jarsFolder = () => resolve('.infra', `kafka-${KAFKA_VERSION}-oauth`);
export const areKafkaJarsThere = () => existsSync(jarsFolder());

async function kafkaJars({ held, log }) {
  const folder = jarsFolder();
  if (existsSync(folder)) return folder;
  log(`fetching Kafka ${KAFKA_VERSION} through Maven`);
  const dependencies = [
    ['org.apache.kafka', 'kafka_2.13', KAFKA_VERSION],
    ['org.apache.logging.log4j', 'log4j-slf4j-impl', LOG4J_VERSION],
    ['org.apache.logging.log4j', 'log4j-core', LOG4J_VERSION],
    // Kafka's own check of OAUTHBEARER tokens needs it.
    ['org.bitbucket.b_c', 'jose4j', JOSE4J_VERSION],
  ];
  await fetchThroughMaven({ held, folder, dependencies, goal: 'copy-dependencies' });
  return folder;
}

/**
 * Returns 22 characters of base64url, as `kafka-storage random-uuid` does. The first must not be a dash, or the tool would read an option.
 */
export function clusterId() {
  return `T${randomBytes(16).toString('base64url').slice(1)}`;
}
