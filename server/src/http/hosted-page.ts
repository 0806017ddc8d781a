import { createHash } from 'node:crypto';
import { type Html, html } from './html.ts';
import type { Reply } from './route.ts';

/** How a hosted page looks to the recipients of an environment. */
export interface PageBrand {
  name: string | null;
  /** An https URL. */
  logoUrl: string | null;
  /** `#rrggbb`. */
  accentColor: string | null;
}

interface HostedPage {
  status: number;
  language: PageLanguage;
  title: string;
  content: Html;
  /** Null when the environment is not known: the link is wrong. */
  brand: PageBrand | null;
}

const neutral = {
  light: { accent: '#7a3b00', onAccent: '#ffffff' },
  dark: { accent: '#f0b36b', onAccent: '#16181d' },
};

/** Logical properties throughout: the same style serves languages that are written from right to left. */
const styleOf = (light: Accent, dark: Accent): string => `
:root { color-scheme: light dark; --ground: #ffffff; --ink: #1d1f24; --soft: #5a5f6b; --line: #8a8f9a; --act: ${light.accent}; --on-act: ${light.onAccent}; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16181d; --ink: #e7e5df; --soft: #a5a9b3; --line: #7a7f8a; --act: ${dark.accent}; --on-act: ${dark.onAccent}; }
}
body { margin: 0; background: var(--ground); color: var(--ink); font: 1.125rem/1.6 system-ui, sans-serif; }
main { max-width: 32rem; margin: 8vh auto; padding: 1.5rem; }
header { display: flex; align-items: center; gap: 0.75rem; margin: 0 0 2rem; font-weight: 600; overflow-wrap: anywhere; }
header img { max-height: 3rem; max-width: 12rem; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 1rem; }
p { margin: 0 0 1.5rem; overflow-wrap: anywhere; }
.soft { color: var(--soft); font-size: 1rem; }
.saved { padding: 0.75rem 1rem; border: 2px solid var(--line); border-radius: 0.5rem; }
fieldset { margin: 0 0 1.5rem; padding: 0; border: 0; }
legend { padding: 0; font-weight: 600; overflow-wrap: anywhere; }
fieldset p { margin: 0 0 0.5rem; }
label { display: flex; align-items: center; gap: 0.75rem; min-height: 2.75rem; }
input { inline-size: 1.25rem; block-size: 1.25rem; margin: 0; flex: none; accent-color: var(--act); }
button { font: inherit; font-weight: 600; padding: 0.75rem 1.5rem; min-height: 3rem; border: 2px solid var(--ink); border-radius: 0.5rem; background: var(--act); color: var(--on-act); cursor: pointer; margin-block-end: 1rem; margin-inline-end: 0.75rem; }
button.second { background: var(--ground); color: var(--ink); }
:focus-visible { outline: 3px solid var(--ink); outline-offset: 3px; }
`;

interface Accent {
  accent: string;
  onAccent: string;
}

/** A page for recipients: self-contained, without script, in their language and the colours of the environment. */
export function hostedPage({ status, language, title, content, brand }: HostedPage): Reply {
  const own = brand?.accentColor ? accentOf(brand.accentColor) : null;
  const style = styleOf(own ?? neutral.light, own ?? neutral.dark);
  const { markup } = html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${brand?.name ? `${title} · ${brand.name}` : title}</title>
<style>${{ markup: style }}</style>
</head>
<body>
<main>
${brand ? headOf(brand) : null}<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
  return {
    status,
    contentType: 'text/html; charset=utf-8',
    headers: {
      'content-security-policy': policyOf(style, brand?.logoUrl ?? null),
      'content-language': language,
      vary: 'Accept-Language',
      'referrer-policy': 'no-referrer', // the URL of the page is the authorization
    },
    body: markup,
  };
}

/** The name says what the logo shows, so the logo itself needs no text. */
function headOf({ name, logoUrl }: PageBrand): Html | null {
  if (!name && !logoUrl) return null;
  const logo = logoUrl ? html`<img src="${logoUrl}" alt="">` : null;
  return html`<header>${logo}<span dir="auto">${name}</span></header>
`;
}

/** URLs may have `;`, `,` and `'` in their host, which would add directives and sources to a policy. */
export function isPlainOrigin(origin: string): boolean {
  return /^https?:\/\/[\w.-]+(?::\d+)?$|^https?:\/\/\[[\da-f:.]+\](?::\d+)?$/i.test(origin);
}

/** Nothing but the style, the logo and the form of the page itself. */
function policyOf(style: string, logoUrl: string | null): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    ...(logoUrl && isPlainOrigin(new URL(logoUrl).origin) ? [`img-src ${new URL(logoUrl).origin}`] : []),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Text on the accent is black or white, whichever has the higher contrast (WCAG 2.2, relative luminance). */
function accentOf(accent: string): Accent {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(accent.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const isDark = 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05;
  return { accent, onAccent: isDark ? '#ffffff' : '#000000' };
}

/** The languages of the hosted pages. */
export const pageLanguages = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ja', 'ar'] as const;
export type PageLanguage = (typeof pageLanguages)[number];

/** Returns the first supported language of `Accept-Language`, by preference, or English. */
export function preferredLanguage(accepted: string | undefined): PageLanguage {
  const wanted = (accepted ?? '')
    .slice(0, 1_000)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean);
      return { tag: tag.split('-')[0] ?? '', weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight);
  for (const { tag } of wanted) {
    const language = pageLanguages.find((each) => each === tag);
    if (language) return language;
  }
  return 'en';
}

const directionOf = (language: PageLanguage): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr');
