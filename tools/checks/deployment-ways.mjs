/** Checks the connections between the services of a rendered chart, and those that leave it. */

/**
 * A host without a dot must be a service of the same installation, plain HTTP must be declared, and each pod may connect only to what it
 * needs.
 */
export function wayFaults(resources) {
  const ofKind = (wanted) => resources.filter(({ kind }) => kind === wanted);
  const services = new Map(ofKind('Service').map(({ metadata, spec }) => [metadata.name, spec.ports]));
  const faults = ofKind('Deployment').flatMap(({ metadata, spec }) =>
    spec.template.spec.containers.flatMap(({ env }) =>
      addressFaults(env, services).map((fault) => `${metadata.name}: ${fault}`),
    ),
  );
  return [...faults, ...egressFaults(ofKind('NetworkPolicy'))];
}

function addressFaults(env, services) {
  const valueOf = (variable) => env.find(({ name }) => name === variable)?.value;
  const plain = (valueOf('PLAINTEXT_HOSTS') ?? '').split(',');
  return env.flatMap(({ name, value = '' }) => {
    const [, host, port] = /^http:\/\/([\w-]+):(\d+)$/.exec(value) ?? [];
    if (host === undefined) return [];
    const ports = services.get(host);
    return [
      ...(ports?.some((one) => one.port === Number(port))
        ? []
        : [`${name} names ${host}:${port}, which is no service`]),
      ...(plain.includes(host) ? [] : [`${host} is not in PLAINTEXT_HOSTS`]),
    ];
  });
}

/** Only services that call the platform, the token API or the key provider need HTTPS out of the cluster. */
function egressFaults(policies) {
  const needsHttps = { gateway: true, ingest: false, auth: true, cse: true, test: false };
  const ofServices = policies.filter(({ spec }) => spec.policyTypes.includes('Egress'));
  return ofServices.flatMap(({ metadata, spec }) => {
    const needs = needsHttps[metadata.name.split('-').at(-1)];
    const has = spec.egress.some(({ ports }) => ports.some(({ port }) => port === 443));
    return has === needs
      ? []
      : [`${metadata.name}: HTTPS ${has ? 'is open, and not needed' : 'is needed, and not open'}`];
  });
}
