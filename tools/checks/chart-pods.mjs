/**
 * Schemas of the chart's values that every service takes, with the fields of Kubernetes 1.34. Objects are closed, so that a misspelt field is
 * refused before Kubernetes sees it.
 */

export const closed = (properties, required = []) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});
export const text = { type: 'string' };
export const name = { ...text, minLength: 1 };
export const isOn = { type: 'boolean' };
export const texts = { type: 'object', additionalProperties: text };
export const described = (description, schema) => ({ description, ...schema });
const list = (items) => ({ type: 'array', items });
const fields = (names, required) => closed(Object.fromEntries(names.map((field) => [field, {}])), required);
const SOURCES = ['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'hostPath', 'image', 'nfs', 'persistentVolumeClaim', 'projected', 'secret']; // prettier-ignore
const amount = {
  anyOf: [
    { type: 'integer', minimum: 0 },
    { ...text, pattern: '^[0-9]+%$' },
  ],
};
const reference = closed({ name, optional: isOn }, ['name']);

/** A key of a Secret. */
export const secretKey = closed({ secret: name, key: name }, ['secret', 'key']);

export const secretFiles = {
  type: 'object',
  propertyNames: { pattern: '^[a-z0-9][A-Za-z0-9._-]*$' },
  additionalProperties: secretKey,
};

/** Values of all services, `services.NAME` takes them too. */
export const OF_ALL_SERVICES = {
  podAnnotations: described('Annotations of the pods, for Reloader, a service mesh or Vault.', texts),
  podLabels: described('Further labels of the pods.', texts),
  imagePullSecrets: described('Secrets with which the image is pulled.', list(closed({ name }, ['name']))),
  nodeSelector: described('Labels that a node must have.', texts),
  tolerations: described('Taints of nodes that the pods tolerate.', list(fields(['effect', 'key', 'operator', 'tolerationSeconds', 'value']))), // prettier-ignore
  affinity: described('Rules for the choice of nodes.', fields(['nodeAffinity', 'podAffinity', 'podAntiAffinity'])),
  topologySpreadConstraints: described(
    'How the pods of a service spread over zones and nodes. A constraint without `labelSelector` gets that of its service.',
    list(fields(['labelSelector', 'matchLabelKeys', 'maxSkew', 'minDomains', 'nodeAffinityPolicy', 'nodeTaintsPolicy', 'topologyKey', 'whenUnsatisfiable'], ['maxSkew', 'topologyKey', 'whenUnsatisfiable'])), // prettier-ignore
  ),
  priorityClassName: described('PriorityClass of the pods.', text),
  podSecurityContext: described(
    'Security context of the pods. null removes a field: OpenShift chooses `runAsUser`, `runAsGroup` and `fsGroup` itself.',
    fields(['appArmorProfile', 'fsGroup', 'fsGroupChangePolicy', 'runAsGroup', 'runAsNonRoot', 'runAsUser', 'seLinuxChangePolicy', 'seLinuxOptions', 'seccompProfile', 'supplementalGroups', 'supplementalGroupsPolicy', 'sysctls', 'windowsOptions']), // prettier-ignore
  ),
  securityContext: described(
    'Security context of the containers.',
    fields(['allowPrivilegeEscalation', 'appArmorProfile', 'capabilities', 'privileged', 'procMount', 'readOnlyRootFilesystem', 'runAsGroup', 'runAsNonRoot', 'runAsUser', 'seLinuxOptions', 'seccompProfile', 'windowsOptions']), // prettier-ignore
  ),
  serviceAccount: described(
    'Account of the pods: made (`create`) or existing, its `name` (else that of the service), its `annotations` (IAM), `automount`: whether the pods get its token, which only an injector such as Vault\'s needs.', // prettier-ignore
    closed({ create: isOn, name: text, annotations: texts, automount: isOn }),
  ),
  podDisruptionBudget: described(
    'Budget of a service; `minAvailable` takes the place of `maxUnavailable`. Both are a number or a percentage.',
    closed({ enabled: isOn, maxUnavailable: amount, minAvailable: amount }),
  ),
  extraEnv: described(
    'Further variables, for example `NODE_EXTRA_CA_CERTS`. Settings belong to `settings` and `secretFiles`: a variable that those set is refused.',
    list(closed({ name, value: text, valueFrom: fields(['configMapKeyRef', 'fieldRef', 'resourceFieldRef', 'secretKeyRef']) }, ['name'])), // prettier-ignore
  ),
  extraEnvFrom: described(
    'ConfigMaps and Secrets of which every key becomes a variable.',
    list(closed({ prefix: text, configMapRef: reference, secretRef: reference })),
  ),
  extraVolumes: described('Further volumes.', list(closed({ name, ...fields(SOURCES).properties }, ['name']))),
  extraVolumeMounts: described(
    'Where the container mounts them.',
    list(fields(['mountPath', 'mountPropagation', 'name', 'readOnly', 'recursiveReadOnly', 'subPath', 'subPathExpr'], ['mountPath', 'name'])), // prettier-ignore
  ),
  extraSecretFiles: described(
    'Files in `/run/secrets/tranche`, beside the lists of accounts and operators: name of the file → `{ secret, key }`. `"clientSecretFile": "shop.secret"` of an account needs a file `shop.secret`.', // prettier-ignore
    secretFiles,
  ),
};

const route = (types) => closed({ path: { ...text, pattern: '^/' }, pathType: { enum: types } }, ['path', 'pathType']);

/** Values of a service that people outside reach. */
export const OF_PUBLIC_SERVICES = {
  routes: described('Paths that an Ingress or HTTPRoute leads to the public port.', {
    ...list(route(['Exact', 'Prefix'])),
    minItems: 1,
  }),
  ingress: closed({
    enabled: described('Whether there is an Ingress.', isOn),
    className: described('Its class.', text),
    annotations: described('Its annotations, for cert-manager for example.', texts),
    hosts: described('`[{ host, paths? }]`. Without `paths` a host has the `routes` of the service.', list(closed({ host: name, paths: list(route(['Exact', 'Prefix', 'ImplementationSpecific'])) }, ['host']))), // prettier-ignore
    tls: described('`[{ secretName, hosts }]`.', list(closed({ secretName: name, hosts: list(name) }))),
  }),
  httpRoute: closed({
    enabled: described('Whether there is an HTTPRoute of the Gateway API.', isOn),
    annotations: described('Its annotations.', texts),
    parentRefs: described('The Gateways that it belongs to.', list(fields(['group', 'kind', 'name', 'namespace', 'port', 'sectionName'], ['name']))), // prettier-ignore
    hostnames: described('Its host names; without any those of the Gateway.', list(name)),
  }),
};
