import { BadValue, setting, text, url } from './setting.ts';

/** Each pattern must match a whole URL. */
const patterns = (value: string): RegExp[] => value.split(',').map((part) => pattern(part.trim()));

function pattern(source: string): RegExp {
  try {
    return new RegExp(`^(?:${source})$`);
  } catch {
    throw new BadValue('must be regular expressions, comma-separated');
  }
}

interface FlavouredPattern {
  flavour: 'A' | 'B';
  pattern: RegExp;
}

const flavouredPatterns = (value: string): FlavouredPattern[] =>
  value.split(',').map((part) => {
    const [, flavour, source] = /^(?:([AB])=)?(.*)$/s.exec(part.trim()) ?? [];
    return { flavour: flavour === 'A' ? 'A' : 'B', pattern: pattern(source ?? '') };
  });

/** Slack (chatone), Microsoft Teams (chattwo) and Discord (chatthree). */
export const chatSettings = {
  CARILLON_CHATONE_API_URL: setting({
    read: url('http:', 'https:'),
    fallback: 'https://slack.com/api',
    meaning: 'Base URL of the Slack (chatone) API.',
  }),
  CARILLON_CHATONE_AUTHORIZE_URL: setting({
    read: url('http:', 'https:'),
    fallback: 'https://slack.com/oauth/v2/authorize',
    meaning: 'URL for installing the Slack app.',
  }),
  CARILLON_CHATONE_CLIENT_ID: setting<string | null>({
    read: text,
    fallback: null,
    shown: '–',
    meaning: 'Client ID of the Slack app. If unset, workspaces can only be installed by bot token.',
  }),
  CARILLON_CHATONE_CLIENT_SECRET: setting<string | null>({
    read: text,
    fallback: null,
    shown: '–',
    meaning: 'Client secret of the Slack app.',
    secret: true,
  }),
  CARILLON_CHATONE_SIGNING_SECRET: setting<string | null>({
    read: text,
    fallback: null,
    shown: '–',
    meaning: 'Signing secret of the Slack app, required to receive its events (uninstalled, tokens revoked).',
    secret: true,
  }),
  CARILLON_CHATTWO_URL_PATTERNS: setting<FlavouredPattern[]>({
    read: flavouredPatterns,
    fallback: [],
    shown: '–',
    meaning:
      'Additional accepted Microsoft Teams (chattwo) URLs: regular expressions for a whole URL, comma-separated. Prefix one with `A=` or `B=` to set its flavour; the default is B.',
  }),
  CARILLON_CHATTHREE_URL_PATTERNS: setting<RegExp[]>({
    read: patterns,
    fallback: [],
    shown: '–',
    meaning:
      'Additional accepted Discord (chatthree) URLs: regular expressions for a whole URL, comma-separated.',
  }),
} as const;
