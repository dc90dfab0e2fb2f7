import { Option, type Command } from 'commander';
import { RAILS, type Rail } from '@tranche/contracts';
import { loadConfig } from '@tranche/service-kit';
import { BrokersConfig } from '../cli.config.js';
import { EXIT, RefusedError } from '../exit.js';
import { assertOneOf, printed, strimziOptions, type StrimziOptions } from '../strimzi.js';
import { kafkaAccess, kafkaAcls, kafkaLine, redisAccess, redisLine } from './access-table.js';
import { strimziUsers } from './strimzi-users.js';

interface Options extends StrimziOptions {
  kafka?: boolean;
  redis?: boolean;
  authentication: string;
  publisher: string;
  rails?: string;
}

/** `tranche acls`: a script or Strimzi's users, for who gives rights at Kafka and Redis. It asks neither. */
export function addAclsCommand(program: Command, exit: (code: number) => void): void {
  const acls = program
    .command('acls')
    .description('prints what each service and publisher may do at Kafka or Redis, as a script or as Strimzi’s users')
    .option('--kafka', 'lines for kafka-acls.sh, with $KAFKA_BROKERS and $ADMIN_PROPERTIES; so it does without an option too')
    .option('--redis', 'lines for redis-cli, with $REDIS_ADMIN_URL and a password for each user, as $PAYMENT_GATEWAY_PASSWORD'); // prettier-ignore
  strimziOptions(acls)
    .addOption(
      new Option('--authentication <type>', 'with --strimzi: how users prove who they are')
        .choices(['scram-sha-512', 'tls'])
        .default('scram-sha-512'),
    )
    .option('--publisher <name>', 'user of the service that publishes commands', 'checkout-demo')
    .option('--rails <list>', 'the rails that it may command, comma-separated (default: all)')
    .action((options: Options) => {
      console.log(aclsText(options));
      exit(EXIT.done);
    });
}

function aclsText({ kafka, redis, strimzi, cluster, authentication, publisher, rails, json }: Options): string {
  assertOneOf({ kafka, redis, strimzi });
  // Other settings of Kafka may name files that this machine does not have.
  const { KAFKA_TOPIC_PREFIX } = process.env;
  const { kafkaTopicPrefix: prefix } = loadConfig(BrokersConfig, { KAFKA_TOPIC_PREFIX });
  const wanted = rails?.split(',') ?? RAILS;
  const unknown = wanted.find((rail) => !isRail(rail));
  if (unknown !== undefined) throw new RefusedError(`there is no rail ${unknown}: it is one of ${RAILS.join(', ')}`);
  if (redis === true) {
    const users = redisAccess(prefix);
    return json === true ? JSON.stringify(users) : users.map(redisLine).join('\n');
  }
  const rows = kafkaAcls(kafkaAccess({ prefix, publisher, rails: wanted.filter(isRail) }));
  if (strimzi !== true) return json === true ? JSON.stringify(rows) : rows.map(kafkaLine).join('\n');
  const users = strimziUsers(rows, { cluster, authentication });
  return json === true ? JSON.stringify(users) : printed(users);
}

const isRail = (text: string): text is Rail => RAILS.some((rail) => rail === text);
