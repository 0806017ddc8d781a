import { BadValue, oneOf, setting, text, url, type ValuesOf } from './setting.ts';

const smsAccount = (value: string): string => {
  if (!/^[A-Za-z0-9]{1,64}$/.test(value)) throw new BadValue('must be letters and digits');
  return value;
};

const smsSender = (value: string): string => {
  if (!/^\+[1-9]\d{6,14}$/.test(value) && !/^(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}$/.test(value))
    throw new BadValue('must be a number in E.164 format or up to 11 letters and digits');
  return value;
};

/** The operator's managed SMS provider, and the APIs of SMS providers. */
export const smsSettings = {
  CARILLON_MANAGED_SMS_KIND: setting<'smsone' | 'smstwo' | null>({
    read: oneOf('smsone', 'smstwo'),
    fallback: null,
    shown: '–',
    meaning:
      "The operator's managed SMS provider: smsone (Twilio) or smstwo (Vonage). Used by Live environments whose SMS settings are `managed`.",
  }),
  CARILLON_MANAGED_SMS_ACCOUNT: setting<string | null>({
    read: smsAccount,
    fallback: null,
    shown: '–',
    meaning:
      'Account of the managed SMS provider: the account SID of Twilio (smsone), the API key of Vonage (smstwo).',
    secret: true,
  }),
  CARILLON_MANAGED_SMS_SECRET: setting<string | null>({
    read: text,
    fallback: null,
    shown: '–',
    meaning:
      'Secret of the managed SMS provider: the auth token of Twilio (smsone), the API secret of Vonage (smstwo).',
    secret: true,
  }),
  CARILLON_MANAGED_SMS_FROM: setting<string | null>({
    read: smsSender,
    fallback: null,
    shown: '–',
    meaning: 'Sender of the managed SMS provider: a number in E.164 format, or an alphanumeric sender id.',
  }),
  CARILLON_SMSONE_API_URL: setting({
    read: url('http:', 'https:'),
    fallback: 'https://api.twilio.com',
    meaning: 'Base URL of the Twilio (smsone) API. Change it for simulators and proxies.',
  }),
  CARILLON_SMSTWO_API_URL: setting({
    read: url('http:', 'https:'),
    fallback: 'https://rest.nexmo.com',
    meaning: 'Base URL of the Vonage (smstwo) API. Change it for simulators and proxies.',
  }),
} as const;

const managedSms = [
  'CARILLON_MANAGED_SMS_KIND',
  'CARILLON_MANAGED_SMS_ACCOUNT',
  'CARILLON_MANAGED_SMS_SECRET',
  'CARILLON_MANAGED_SMS_FROM',
] as const;

/** A provider with half its settings would fail every message instead of the start. */
export function managedSmsProblem(config: ValuesOf<typeof smsSettings>): string | null {
  // A value that could not be parsed is undefined here, and has been reported.
  const missing = managedSms.filter((name) => config[name] === null);
  if (missing.length === 0 || missing.length === managedSms.length) return null;
  return `${missing.join(', ')} must also be set: the managed SMS provider needs all four`;
}
