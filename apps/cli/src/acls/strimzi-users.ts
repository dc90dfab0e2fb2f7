import { strimziResource } from '../strimzi.js';
import type { KafkaAcl } from './access-table.js';

/** Strimzi makes a Secret with the user's name and a password (`password`) or certificate. */
export function strimziUsers(
  acls: readonly KafkaAcl[],
  { cluster, authentication }: { cluster: string; authentication: string },
): object[] {
  const users = [...new Set(acls.map(({ principal }) => principal))];
  return users.map((user) =>
    strimziResource('KafkaUser', user, cluster, {
      authentication: { type: authentication },
      authorization: { type: 'simple', acls: acls.filter(({ principal }) => principal === user).map(ruleOf) },
    }),
  );
}

const ruleOf = ({ resource: type, name, pattern, operations }: KafkaAcl) => ({
  resource: { type, name, patternType: pattern === 'prefixed' ? 'prefix' : 'literal' },
  operations,
});
