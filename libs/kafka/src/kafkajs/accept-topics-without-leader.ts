import metadata from 'kafkajs/src/protocol/requests/metadata/index.js';

let isAccepting = false;

/**
 * When kafkajs needs only the brokers, it requests the metadata of all topics of the cluster, and rejects the response if any partition of
 * any topic has no leader. A stranger's broken topic would then keep our services from starting. So a response about all topics is accepted
 * as it is; one about named topics is checked as before, because its leaders are needed (decision 0041).
 */
export function acceptTopicsWithoutLeader(): void {
  if (isAccepting) return;
  isAccepting = true;
  const { protocol } = metadata;
  metadata.protocol = (of) => {
    const request = protocol(of);
    return (options) => {
      const made = request(options);
      if (options.topics.length > 0) return made;
      return { ...made, response: { ...made.response, parse: (answer) => Promise.resolve(answer) } };
    };
  };
}
