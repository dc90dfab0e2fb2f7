import metadata from 'kafkajs/src/protocol/requests/metadata/index.js';

let isAccepting = false;

/**
 * kafkajs asks for all topics of the cluster where it needs to know its brokers only, and refuses the answer where a partition of any topic,
 * whoever's, has no leader: then no service could start. An answer about all topics is taken as it is; one about named topics is
 * refused as before, for who names a topic needs its leaders (decision 0112).
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
