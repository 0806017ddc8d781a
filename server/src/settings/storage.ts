import { BadValue, integer, oneOf, setting, text, url, type ValuesOf } from './setting.ts';

const s3Bucket = (value: string): string => {
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(value))
    throw new BadValue('must be the name of a bucket: 3 to 63 letters, digits, dots and hyphens');
  return value;
};

/** Ends with a slash, unless it is empty. */
const s3Prefix = (value: string): string => {
  const path = value.replace(/^\/+|\/+$/g, '');
  if (
    !/^[A-Za-z0-9_.-]*(\/[A-Za-z0-9_.-]+)*$/.test(path) ||
    path.split('/').some((part) => /^\.+$/.test(part))
  )
    throw new BadValue('must be letters, digits, dots, hyphens and underscores, separated by slashes');
  return path === '' ? '' : `${path}/`;
};

interface S3Encryption {
  algorithm: 'AES256' | 'aws:kms';
  keyId: string | null;
}

const s3Encryption = (value: string): S3Encryption => {
  if (value === 'AES256') return { algorithm: value, keyId: null };
  const [, keyId = null] = /^aws:kms(?::([\x21-\x7e]{1,2048}))?$/.exec(value) ?? [undefined, ''];
  if (keyId === '') throw new BadValue('must be AES256, aws:kms or aws:kms:KEY');
  return { algorithm: 'aws:kms', keyId };
};

/** The storage quota and the object store. */
export const storageSettings = {
  CARILLON_STORAGE_QUOTA_MB: setting({
    read: integer(0, 1_000_000_000),
    fallback: 10_240,
    meaning:
      'Storage quota of an environment in MiB: notifications with attachments, inbox items, workflow runs and the sandbox. Live environments on the plan unmetered have no quota. 0 disables the quota.',
  }),
  CARILLON_S3_BUCKET: setting<string | null>({
    read: s3Bucket,
    fallback: null,
    shown: '–',
    meaning:
      'Bucket of an S3-compatible object store for attachments and, with CARILLON_S3_BODY_THRESHOLD, large message bodies. If unset, they are stored in the database. Requires both keys.',
  }),
  CARILLON_S3_ACCESS_KEY_ID: setting<string | null>({
    read: text,
    fallback: null,
    shown: '–',
    meaning: 'Access key id for the bucket.',
    secret: true,
  }),
  CARILLON_S3_SECRET_ACCESS_KEY: setting<string | null>({
    read: text,
    fallback: null,
    shown: '–',
    meaning: 'Secret access key for the bucket.',
    secret: true,
  }),
  CARILLON_S3_REGION: setting({
    read: text,
    fallback: 'us-east-1',
    meaning: 'Region of the bucket. Many other stores accept any region.',
  }),
  CARILLON_S3_ENDPOINT: setting<string | null>({
    read: url('http:', 'https:'),
    fallback: null,
    shown: 'https://s3.REGION.amazonaws.com',
    meaning: 'Base URL of another S3-compatible store. It may be in a private network.',
  }),
  CARILLON_S3_FORCE_PATH_STYLE: setting<'on' | 'off' | null>({
    read: oneOf('on', 'off'),
    fallback: null,
    shown: '`on` with CARILLON_S3_ENDPOINT, else `off`',
    meaning: 'Whether the bucket is in the path of URLs (on) or in the host name (off).',
  }),
  CARILLON_S3_PREFIX: setting({
    read: s3Prefix,
    fallback: 'carillon/',
    meaning: 'Prefix of the keys of all objects.',
  }),
  CARILLON_S3_SSE: setting<S3Encryption | null>({
    read: s3Encryption,
    fallback: null,
    shown: 'the default of the bucket',
    meaning: 'Server-side encryption of objects: AES256, aws:kms or aws:kms:KEY.',
  }),
  CARILLON_S3_BODY_THRESHOLD: setting<number | null>({
    read: integer(1_024, 4_000_000),
    fallback: null,
    shown: '–',
    meaning:
      'Message bodies (HTML and text together) with more bytes than this are stored in the bucket. If unset, all bodies are stored in the database.',
  }),
} as const;

type Values = ValuesOf<typeof storageSettings>;

const neededForS3 = [
  'CARILLON_S3_BUCKET',
  'CARILLON_S3_ACCESS_KEY_ID',
  'CARILLON_S3_SECRET_ACCESS_KEY',
] as const;
const optionalForS3 = ['CARILLON_S3_ENDPOINT', 'CARILLON_S3_SSE', 'CARILLON_S3_BODY_THRESHOLD'] as const;

/** Half the settings would store in the database what the operator expects in the bucket. */
export function s3Problem(config: Values): string | null {
  // A value that could not be parsed is undefined here, and has been reported.
  const missing = neededForS3.filter((name) => config[name] === null);
  const given = [...neededForS3, ...optionalForS3].filter((name) => config[name] !== null);
  if (missing.length === 0 || given.length === 0) return null;
  return `${missing.join(', ')} must also be set: the object store needs the bucket and both keys`;
}

/** The settings of the object store together. */
export interface S3Settings {
  /** Null: Amazon S3. */
  endpoint: string | null;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  forcePathStyle: boolean;
  encryption: S3Encryption | null;
}

export function s3SettingsOf(config: Values): S3Settings | null {
  const { CARILLON_S3_BUCKET: bucket, CARILLON_S3_ENDPOINT: endpoint } = config;
  const { CARILLON_S3_ACCESS_KEY_ID: accessKeyId, CARILLON_S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (bucket === null || accessKeyId === null || secretAccessKey === null) return null;
  const style = config.CARILLON_S3_FORCE_PATH_STYLE ?? (endpoint === null ? 'off' : 'on');
  return {
    ...{ endpoint, bucket, accessKeyId, secretAccessKey },
    region: config.CARILLON_S3_REGION,
    forcePathStyle: style === 'on',
    encryption: config.CARILLON_S3_SSE,
  };
}
