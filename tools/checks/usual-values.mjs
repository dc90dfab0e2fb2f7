/**
 * The values that a platform team sets in any chart, each with the place where it must be seen in what Helm renders, and with a misspelt one
 * that must be refused (`typo`: path and value). `seen`: resource, path in it, the value there (objects may have more keys, lists more items).
 */
import { isDeepStrictEqual } from 'node:util';

const pod = (path, value, service = 'ingest') => [`Deployment tranche-${service}`, `spec.template.${path}`, value];
const container = (path, value, service) => pod(`spec.containers.0.${path}`, value, service);
const ofIngest = (values) => ({ services: { ingest: values } });
const onSpot = { key: 'spot', operator: 'Exists', effect: 'NoSchedule' };
const zoned = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'zone' } }] } }; // prettier-ignore
const spread = { maxSkew: 2, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule' };
const ofSelector = {
  matchLabels: { 'app.kubernetes.io/instance': 'tranche', 'app.kubernetes.io/component': 'ingest' },
};
const proxy = { name: 'HTTPS_PROXY', value: 'http://proxy:3128' };
const token = { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'extra', key: 'token' } } };
const ca = { name: 'ca', configMap: { name: 'company-ca' } };
const mount = { name: 'ca', mountPath: '/etc/company', readOnly: true };
const toIngest = (path, pathType) => ({ path, pathType, backend: { service: { name: 'tranche-ingest', port: { name: 'public' } } } }); // prettier-ignore
const host = { host: 'pay.example.com' };
const tls = [{ secretName: 'pay-tls', hosts: ['pay.example.com'] }];
const shop = { merchant: 'shop-fr', identifier: 'Shop', accountKeyFile: 'shop-fr.key' };
const shopKey = { 'shop-fr.key': { secret: 'shop-fr', key: 'account-key' } };
const onStack = { enabled: true, labels: { release: 'kube-prometheus-stack' }, namespace: 'monitoring' };

export const USUAL_VALUES = [
  {
    name: 'podAnnotations',
    values: { podAnnotations: { a: '1' }, ...ofIngest({ podAnnotations: { b: 'true' } }) },
    seen: [pod('metadata.annotations', { a: '1', b: 'true' }), pod('metadata.annotations', { a: '1' }, 'gateway')],
    typo: ['services.ingest.podAnnotation', { a: '1' }],
  },
  {
    name: 'podLabels',
    values: { podLabels: { team: 'payments', 'app.kubernetes.io/component': 'x' }, ...ofIngest({ podLabels: { tier: 'y' } }) }, // prettier-ignore
    seen: [
      pod('metadata.labels', { team: 'payments', tier: 'y', 'app.kubernetes.io/component': 'ingest' }),
      ['Deployment tranche-ingest', 'spec.selector', ofSelector],
    ],
    typo: ['podLabel', { team: 'payments' }],
  },
  {
    name: 'commonLabels',
    values: { commonLabels: { 'cost-centre': '42' } },
    seen: ['Deployment', 'Service', 'ServiceAccount', 'PodDisruptionBudget', 'NetworkPolicy']
      .map((kind) => [`${kind} tranche-cse`, 'metadata.labels', { 'cost-centre': '42' }])
      .concat([pod('metadata.labels', { 'cost-centre': '42' })]),
    typo: ['commonLabel', {}],
  },
  {
    name: 'nodeSelector',
    values: { nodeSelector: { pool: 'payments' }, ...ofIngest({ nodeSelector: { pool: 'edge' } }) },
    seen: [pod('spec.nodeSelector', { pool: 'edge' }), pod('spec.nodeSelector', { pool: 'payments' }, 'auth')],
    typo: ['services.ingest.nodeSelecter', {}],
  },
  {
    name: 'tolerations',
    values: { tolerations: [onSpot], ...ofIngest({ tolerations: [{ key: 'edge', operator: 'Exists' }] }) },
    seen: [
      pod('spec.tolerations', [onSpot, { key: 'edge', operator: 'Exists' }]),
      ['Pod tranche-test', 'spec.tolerations', [onSpot]],
    ],
    typo: ['tolerations.0.efect', 'NoSchedule'],
  },
  {
    name: 'affinity',
    values: { affinity: zoned },
    seen: [pod('spec.affinity', zoned)],
    typo: ['services.ingest.affinity.podAntiAfinity', {}],
  },
  {
    name: 'topologySpreadConstraints',
    values: { topologySpreadConstraints: [spread] },
    seen: [pod('spec.topologySpreadConstraints', [{ ...spread, labelSelector: ofSelector }])],
    typo: ['topologySpreadConstraints.0.maxskew', 1],
  },
  {
    name: 'priorityClassName',
    values: { priorityClassName: 'high', ...ofIngest({ priorityClassName: 'highest' }) },
    seen: [pod('spec.priorityClassName', 'highest'), pod('spec.priorityClassName', 'high', 'cse')],
    typo: ['services.ingest.priorityClass', 'high'],
  },
  {
    name: 'serviceAccount',
    values: {
      serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:x' } },
      ...ofIngest({ serviceAccount: { name: 'webhooks' } }),
    },
    seen: [
      ['ServiceAccount webhooks', 'metadata.annotations', { 'eks.amazonaws.com/role-arn': 'arn:x' }],
      pod('spec.serviceAccountName', 'webhooks'),
      pod('spec.serviceAccountName', 'tranche-gateway', 'gateway'),
    ],
    typo: ['serviceAccount.annotation', {}],
  },
  {
    name: 'serviceAccount that exists',
    values: { serviceAccount: { create: false }, ...ofIngest({ serviceAccount: { name: 'existing' } }) },
    seen: [
      pod('spec.serviceAccountName', 'existing'),
      pod('spec.serviceAccountName', 'default', 'auth'),
      ['ServiceAccount existing', '', undefined],
    ],
    typo: ['services.auth.serviceAccount.created', false],
  },
  {
    name: 'extraVolumes',
    values: ofIngest({ extraVolumes: [ca] }),
    seen: [pod('spec.volumes', [ca])],
    typo: ['services.ingest.extraVolumes.0.configmap', { name: 'company-ca' }],
  },
  {
    name: 'extraVolumeMounts',
    values: { extraVolumes: [ca], extraVolumeMounts: [mount] },
    seen: [container('volumeMounts', [mount]), container('volumeMounts', [mount], 'gateway')],
    typo: ['extraVolumeMounts.0.readonly', true],
  },
  {
    name: 'extraEnv',
    values: { extraEnv: [proxy], ...ofIngest({ extraEnv: [token] }) },
    seen: [container('env', [proxy, token]), container('env', [proxy], 'auth')],
    typo: ['extraEnv.0.valuefrom', {}],
  },
  {
    name: 'extraEnvFrom',
    values: ofIngest({ extraEnvFrom: [{ secretRef: { name: 'extra' } }] }),
    seen: [container('envFrom', [{ secretRef: { name: 'extra' } }])],
    typo: ['services.ingest.extraEnvFrom.0.secretref', { name: 'extra' }],
  },
  {
    name: 'imagePullSecrets',
    values: { imagePullSecrets: [{ name: 'registry' }] },
    seen: [
      pod('spec.imagePullSecrets', [{ name: 'registry' }]),
      ['Pod tranche-test', 'spec.imagePullSecrets', [{ name: 'registry' }]],
    ],
    typo: ['imagePullSecret', []],
  },
  {
    name: 'nameOverride',
    values: { nameOverride: 'eu' },
    seen: [['Service tranche-eu-auth', 'metadata.name', 'tranche-eu-auth']],
    typo: ['nameOveride', 'eu'],
  },
  {
    name: 'fullnameOverride',
    values: { fullnameOverride: 'pay' },
    seen: [
      ['Deployment pay-gateway', 'spec.template.spec.containers.0.env', [{ name: 'AUTH_SERVICE_URL', value: 'http://pay-auth:4030' }]], // prettier-ignore
      ['Pod pay-test', 'spec.containers.0.args', ['http://pay-ingest:4120']],
    ],
    typo: ['fullNameOverride', 'pay'],
  },
  {
    name: 'resources',
    values: ofIngest({ resources: { limits: { memory: '2Gi' } } }),
    seen: [container('resources', { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '2Gi' } })],
    typo: ['services.ingest.resources.limit', { memory: '2Gi' }],
  },
  {
    name: 'securityContext',
    values: {
      podSecurityContext: { runAsUser: null, fsGroup: 1000720000, supplementalGroups: [7] },
      ...ofIngest({ securityContext: { readOnlyRootFilesystem: false }, podSecurityContext: { runAsGroup: null } }),
    },
    seen: [
      pod('spec.securityContext.runAsGroup', undefined),
      pod('spec.securityContext.runAsGroup', 1000, 'gateway'),
      pod('spec.securityContext.runAsUser', undefined),
      pod('spec.securityContext', { runAsNonRoot: true, fsGroup: 1000720000, supplementalGroups: [7] }),
      container('securityContext', { readOnlyRootFilesystem: false, allowPrivilegeEscalation: false }),
      container('securityContext', { readOnlyRootFilesystem: true }, 'gateway'),
    ],
    typo: ['podSecurityContext.runAsUsr', 1000],
  },
  {
    name: 'ingress',
    values: ofIngest({
      ingress: {
        enabled: true,
        className: 'nginx',
        annotations: { 'cert-manager.io/issuer': 'x' },
        hosts: [host],
        tls,
      },
    }),
    seen: [
      ['Ingress tranche-ingest', 'metadata.annotations', { 'cert-manager.io/issuer': 'x' }],
      ['Ingress tranche-ingest', 'spec', { ingressClassName: 'nginx', tls }],
      ['Ingress tranche-ingest', 'spec.rules', [{ ...host, http: { paths: [toIngest('/notifications', 'Exact'), toIngest('/return', 'Prefix')] } }]], // prettier-ignore
    ],
    typo: ['services.ingest.ingress.classname', 'nginx'],
  },
  {
    name: 'httpRoute',
    values: { services: { cse: { httpRoute: { enabled: true, parentRefs: [{ name: 'edge' }], hostnames: ['cse.example.com'] } } } }, // prettier-ignore
    seen: [
      ['HTTPRoute tranche-cse', 'spec', { parentRefs: [{ name: 'edge' }], hostnames: ['cse.example.com'] }],
      ['HTTPRoute tranche-cse', 'spec.rules.0', { matches: [{ path: { type: 'Exact', value: '/v1/cse-keys' } }], backendRefs: [{ name: 'tranche-cse', port: 4040 }] }], // prettier-ignore
    ],
    typo: ['services.cse.httpRoute.parentRef', []],
  },
  {
    name: 'podDisruptionBudget',
    values: { podDisruptionBudget: { minAvailable: '50%' }, ...ofIngest({ podDisruptionBudget: { enabled: false } }) },
    seen: [
      ['PodDisruptionBudget tranche-cse', 'spec.minAvailable', '50%'],
      ['PodDisruptionBudget tranche-cse', 'spec.maxUnavailable', undefined],
      ['PodDisruptionBudget tranche-ingest', '', undefined],
    ],
    typo: ['podDisruptionBudget.maxUnavailble', 1],
  },
  {
    name: 'podDisruptionBudget of one service',
    values: { podDisruptionBudget: { minAvailable: 2 }, ...ofIngest({ podDisruptionBudget: { maxUnavailable: 2 } }) },
    seen: [
      ['PodDisruptionBudget tranche-ingest', 'spec.maxUnavailable', 2],
      ['PodDisruptionBudget tranche-ingest', 'spec.minAvailable', undefined],
    ],
    typo: ['services.ingest.podDisruptionBudget.minAvailble', 1],
  },
  {
    name: 'settings as numbers and booleans',
    values: { settings: { KAFKA_SSL: true }, ...ofIngest({ settings: { MAX_CONNECTIONS_PER_ADDRESS: 5000000 } }) },
    seen: [
      container('env', [
        { name: 'KAFKA_SSL', value: 'true' },
        { name: 'MAX_CONNECTIONS_PER_ADDRESS', value: '5000000' },
      ]),
    ],
    typo: ['services.ingest.settings.MAX_CONNECTION_PER_ADDRESS', 5000000],
  },
  {
    name: 'autoscaling by lag over TLS',
    values: { services: { gateway: { autoscaling: { enabled: true } } } },
    seen: [['ScaledObject tranche-gateway', 'spec.triggers.0.metadata', { tls: 'enable' }]],
    typo: ['services.gateway.autoscaling.lagTreshold', 200],
  },
  {
    name: 'autoscaling by lag with credentials',
    values: {
      keda: { authentication: 'kafka' },
      settings: { KAFKA_SASL_MECHANISM: 'scram-sha-512' },
      services: { gateway: { autoscaling: { enabled: true } } },
    },
    seen: [
      ['ScaledObject tranche-gateway', 'spec.triggers.0.authenticationRef', { name: 'kafka' }],
      ['ScaledObject tranche-gateway', 'spec.triggers.0.metadata.tls', undefined],
    ],
    typo: ['keda.authentification', 'kafka'],
  },
  {
    name: 'autoscaling by processor',
    values: ofIngest({ autoscaling: { enabled: true, maxReplicas: 5 } }),
    seen: [
      ['HorizontalPodAutoscaler tranche-ingest', 'spec.scaleTargetRef.name', 'tranche-ingest'],
      ['HorizontalPodAutoscaler tranche-ingest', 'spec', { minReplicas: 3, maxReplicas: 5 }],
      ['HorizontalPodAutoscaler tranche-ingest', 'spec.metrics.0.resource', { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } }], // prettier-ignore
      ['Deployment tranche-ingest', 'spec.replicas', undefined],
      ['ScaledObject tranche-ingest', '', undefined],
    ],
    typo: ['services.ingest.autoscaling.topics', ['payments.notifications.v1']],
  },
  {
    name: 'labels of monitors and rules',
    values: { serviceMonitor: { ...onStack, interval: '30s' }, prometheusRule: onStack },
    seen: [
      ['ServiceMonitor tranche-auth', 'metadata', { labels: { release: 'kube-prometheus-stack' }, namespace: 'monitoring' }], // prettier-ignore
      ['ServiceMonitor tranche-auth', 'spec.namespaceSelector', { matchNames: ['default'] }],
      ['ServiceMonitor tranche-auth', 'spec.endpoints.0.interval', '30s'],
      ['PrometheusRule tranche-alerts', 'metadata', { labels: { release: 'kube-prometheus-stack' }, namespace: 'monitoring' }], // prettier-ignore
    ],
    typo: ['prometheusRule.label', {}],
  },
  {
    name: 'secret files of accounts',
    values: { services: { auth: { extraSecretFiles: { 'shop.secret': { secret: 'accounts', key: 'shop' } } } } },
    seen: [pod('spec.volumes.1.projected.sources', [{ secret: { name: 'accounts', items: [{ key: 'shop', path: 'shop.secret' }] } }], 'auth')], // prettier-ignore
    typo: ['extraSecretFiles.shop.name', 'accounts'],
  },
  {
    name: 'merchants with secret files',
    values: { merchants: [shop], merchantKeyFiles: shopKey },
    seen: [
      ['ConfigMap tranche-merchants', 'data', { 'merchants.json': /"accountKeyFile": "shop-fr.key"/ }],
      pod('metadata.annotations.checksum/merchants', /^[0-9a-f]{64}$/),
      pod('spec.volumes.1.projected.sources', [
        { configMap: { name: 'tranche-merchants', items: [{ key: 'merchants.json', path: 'MERCHANTS_FILE' }] } },
        { secret: { name: 'shop-fr', items: [{ key: 'account-key', path: 'shop-fr.key' }] } },
      ]),
      pod('spec.volumes.1.projected.sources.3', undefined, 'auth'),
      container('env', [{ name: 'MERCHANTS_FILE', value: '/run/secrets/tranche/MERCHANTS_FILE' }]),
    ],
    typo: ['merchants.0.accountKey', 'a secret in clear'],
  },
];

/** Values that a template refuses, because the schema can’t know what is wrong with them, and a part of the message. */
export const REFUSED = [
  [
    'a merchant’s file that no secret has',
    { merchants: [shop] },
    'merchants[0].accountKeyFile (shop-fr) names the file shop-fr.key, which services.cse has not: add it to merchantKeyFiles',
  ],
  [
    'a file of an earlier key that no secret has',
    { merchants: [{ ...shop, previousKeys: { accountFile: 'old.key' } }], merchantKeyFiles: shopKey },
    'merchants[0].previousKeys.accountFile (shop-fr) names the file old.key',
  ],
  [
    'a file of an API key that no secret has',
    { merchants: [{ ...shop, apiKeys: [{ id: 'x', keyFile: 'api.key' }] }], merchantKeyFiles: shopKey },
    'merchants[0].apiKeys[0].keyFile (shop-fr) names the file api.key',
  ],
  ['a setting as a further variable', { extraEnv: [{ name: 'TOPICS', value: 'create' }] }, 'names TOPICS, which the chart sets'], // prettier-ignore
  ['an Ingress without hosts', ofIngest({ ingress: { enabled: true } }), 'services.ingest.ingress.enabled needs services.ingest.ingress.hosts'], // prettier-ignore
  ['an HTTPRoute without a Gateway', ofIngest({ httpRoute: { enabled: true } }), 'needs services.ingest.httpRoute.parentRefs'], // prettier-ignore
  [
    'a share of processor time that nobody requests',
    ofIngest({ autoscaling: { enabled: true }, resources: { requests: { cpu: null } } }),
    'services.ingest.autoscaling needs services.ingest.resources.requests.cpu',
  ],
  [
    'a lag that KEDA has no credentials to read',
    { settings: { KAFKA_SASL_MECHANISM: 'plain' }, services: { gateway: { autoscaling: { enabled: true } } } },
    'services.gateway.autoscaling needs keda.authentication',
  ],
  ['an Ingress of auth-service', { services: { auth: { ingress: { enabled: true } } } }, 'ingress'],
];

/** Returns the values with only `value` at `path`; a number in the path is a place in a list. */
export const valuesWith = ([path, value]) =>
  path.split('.').reduceRight((inner, key) => (/^\d+$/.test(key) ? [inner] : { [key]: inner }), value);

/** The keys that a refusal of the misspelt value must name. */
export const keysOf = ([path]) => path.split('.').filter((key) => !/^\d+$/.test(key));

/** Returns what is not seen in the resources, one line each. */
export function notSeen({ seen }, resources) {
  const byName = new Map(resources.map((one) => [`${one.kind} ${one.metadata.name}`, one]));
  return seen.flatMap(([resource, path, wanted]) => {
    const keys = path === '' ? [] : path.split('.');
    const found = keys.reduce((value, key) => value?.[key], byName.get(resource));
    return holds(found, wanted)
      ? []
      : [
          `${resource} ${path}: ${JSON.stringify(found)}, not ${wanted instanceof RegExp ? wanted : JSON.stringify(wanted)}`,
        ];
  });
}

function holds(found, wanted) {
  if (wanted instanceof RegExp) return wanted.test(found);
  if (Array.isArray(wanted))
    return Array.isArray(found) && wanted.every((one) => found.some((item) => holds(item, one)));
  if (typeof wanted === 'object' && wanted !== null)
    return typeof found === 'object' && found !== null && Object.keys(wanted).every((key) => holds(found[key], wanted[key])); // prettier-ignore
  return isDeepStrictEqual(found, wanted);
}
