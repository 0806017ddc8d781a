import type { Value } from '../generate/go-template.ts';

const off = { autoscaling: { enabled: false }, podDisruptionBudget: { enabled: false } };
const placement = {
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  affinity: { podAntiAffinity: {} },
};

/** Combinations of values that reach every branch of the templates. */
export const cases = {
  defaults: {},
  smtpInTheCluster: { smtp: { enabled: true } },
  minimal: { api: { ...off, replicas: 1 }, worker: { ...off, replicas: 1 } },
  outsideDatabase: {
    database: { urlSecret: { name: 'my-db-app' } },
    ingress: { enabled: true, host: 'a.test' },
  },
  oneInstance: { fullnameOverride: 'notify', database: { cloudNativePG: { enabled: true, instances: 1 } } },
  longName: {
    nameOverride: 'a-name-that-is-much-longer-than-what-kubernetes-allows-for-the-name-of-an-object',
  },
  everything: {
    image: { repository: 'images.example.com/carillon', tag: '1.2.3', pullPolicy: 'Always' },
    imagePullSecrets: [{ name: 'image-pull' }],
    config: { CARILLON_RETENTION_DAYS: '90', CARILLON_TRUSTED_PROXIES: '10.0.0.0/8' },
    existingSecret: 'carillon-settings',
    database: {
      cloudNativePG: {
        enabled: true,
        imageName: 'ghcr.io/cloudnative-pg/postgresql:18',
        storage: { size: '100Gi', storageClass: 'fast' },
        resources: { requests: { cpu: '2' } },
      },
    },
    api: placement,
    worker: { ...placement, autoscaling: { enabled: true }, podDisruptionBudget: { maxUnavailable: '25%' } },
    podAnnotations: { 'example.com/note': 'x' },
    podLabels: { team: 'messaging' },
    priorityClassName: 'high',
    serviceAccountName: 'carillon',
    extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/ca/ca.crt' }],
    extraVolumes: [{ name: 'ca', secret: { secretName: 'ca' } }],
    extraVolumeMounts: [{ name: 'ca', mountPath: '/ca', readOnly: true }],
    smtp: {
      enabled: true,
      type: 'LoadBalancer',
      annotations: { 'example.com/lb': 'internal' },
      tlsSecret: 'smtp-tls',
    },
    service: { type: 'LoadBalancer', port: 8080, annotations: { 'example.com/lb': 'internal' } },
    ingress: {
      enabled: true,
      className: 'nginx',
      annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' },
      host: 'notify.example.com',
      tlsSecret: 'notify-tls',
    },
    monitoring: {
      serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
      prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
      grafanaDashboard: { enabled: true },
    },
  },
} satisfies Record<string, Record<string, Value>>;
