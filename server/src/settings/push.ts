import { BadValue, setting, url } from './setting.ts';

const pushHosts = (value: string): string[] =>
  value.split(',').map((part) => {
    const host = part.trim().toLowerCase();
    if (!/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(host))
      throw new BadValue(
        'must be names of hosts, such as push.example.com or *.example.com, comma-separated',
      );
    return host;
  });

/** APNs, FCM and web push. */
export const pushSettings = {
  CARILLON_APNS_API_URL: setting<string | null>({
    read: url('http:', 'https:'),
    fallback: null,
    shown: 'the server of Apple that the push settings choose',
    meaning: 'Base URL of the APNs API. Change it for simulators and proxies; `http:` is HTTP/2 without TLS.',
  }),
  CARILLON_FCM_API_URL: setting({
    read: url('http:', 'https:'),
    fallback: 'https://fcm.googleapis.com',
    meaning: 'Base URL of the FCM API. Change it for simulators and proxies; `http:` is HTTP/2 without TLS.',
  }),
  CARILLON_WEB_PUSH_HOSTS: setting<readonly string[]>({
    read: pushHosts,
    fallback: [],
    shown: 'none',
    meaning:
      'Hosts of push services, separated by commas, that browsers may subscribe with besides those of Google, Mozilla, Apple and Microsoft; `*.example.com` allows every host below. Their subscriptions may use `http:`.',
  }),
} as const;
