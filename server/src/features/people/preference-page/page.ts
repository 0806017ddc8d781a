import type { Channel } from '../../../channels/contract.ts';
import { hostedPage, type PageBrand } from '../../../http/hosted-page.ts';
import { type Html, html } from '../../../http/html.ts';
import type { Reply } from '../../../http/route.ts';
import type { DescribedCategory, Preference, PreferenceChange } from '../preferences/index.ts';
import { languageFor, type PreferenceTexts } from './languages.ts';

export type PreferenceVisit =
  | { kind: 'choose' | 'saved'; choices: Choice[]; brand: PageBrand }
  | { kind: 'lost' | 'busy' };

const statuses = { choose: 200, saved: 200, lost: 404, busy: 429 } as const;

export function pageFor(visit: PreferenceVisit, acceptLanguage: string | undefined): Reply {
  const { language, texts } = languageFor(acceptLanguage);
  const shared = { language, status: statuses[visit.kind] };
  if (!('choices' in visit)) {
    const [title, text] =
      visit.kind === 'lost' ? [texts.lostTitle, texts.lost] : [texts.busyTitle, texts.busy];
    const page = hostedPage({ ...shared, title, content: html`<p>${text}</p>`, brand: null });
    return visit.kind === 'busy' ? { ...page, headers: { ...page.headers, 'retry-after': '1' } } : page;
  }
  const { choices, brand } = visit;
  const isSaved = visit.kind === 'saved';
  return hostedPage({
    ...shared,
    brand,
    title: isSaved ? texts.savedTitle : texts.title,
    content: html`${isSaved ? html`<p role="status" class="saved">${texts.saved}</p>` : null}${formOf(choices, texts)}`,
  });
}

/** `autocomplete="off"`: a browser must not put its own state of the boxes beside the hidden fields of a fresh page. */
function formOf(choices: Choice[], texts: PreferenceTexts): Html {
  if (choices.length === 0) return html`<p>${texts.nothing}</p>`;
  const canChoose = choices.some(({ channels }) => channels.length > 0);
  const buttons = html`<p><button type="submit">${texts.save}</button>
<button type="submit" class="second" name="all" value="off">${texts.stopAll}</button></p>`;
  return html`<p>${texts.intro}</p>
<form method="post" autocomplete="off">
${choices.map((choice) => fieldsetOf(choice, texts))}${canChoose ? buttons : null}
</form>`;
}

/** `dir="auto"`: the names are in the language of the environment, not of the reader. */
function fieldsetOf({ key, name, description, isCritical, channels }: Choice, texts: PreferenceTexts): Html {
  return html`<fieldset>
<legend dir="auto">${name}</legend>
${description ? html`<p class="soft" dir="auto">${description}</p>` : null}${isCritical ? html`<p class="soft">${texts.always}</p>` : null}${channels.map(
  ({ channel, isOn }) => {
    const cell = cellName(key, channel);
    return html`<input type="hidden" name="${shownName(isOn)}" value="${cell}">
<label><input type="checkbox" name="on" value="${cell}"${isOn ? html` checked` : null}> ${channelName(channel, texts)}</label>
`;
  },
)}</fieldset>
`;
}

function channelName(channel: Channel, texts: PreferenceTexts): string {
  const names: Record<Channel, string> = {
    email: texts.email,
    in_app: texts.inApp,
    sms: texts.sms,
    webhook: 'Webhook',
    chatone: 'Slack',
    chattwo: 'Microsoft Teams',
    chatthree: 'Discord',
  };
  return names[channel];
}

/** A category as the page shows it. */
export interface Choice {
  key: string;
  name: string;
  description: string | null;
  /** A critical category is always sent; it has no channels to choose. */
  isCritical: boolean;
  channels: { channel: Channel; isOn: boolean }[];
}

/**
 * The choices of a user. The channels are those that some category uses by default or that the user has chosen, as in the widget;
 * webhooks go to machines.
 */
export function choicesOf(preferences: Preference[], categories: DescribedCategory[]): Choice[] {
  const used = new Set<Channel>(categories.flatMap(({ default_channels }) => default_channels));
  for (const { channel, opted_in, is_critical } of preferences)
    if (opted_in && !is_critical) used.add(channel);
  used.delete('webhook');
  const byCategory = new Map(categories.map(({ key }) => [key, [] as Preference[]]));
  for (const cell of preferences) byCategory.get(cell.category_key)?.push(cell);
  return categories.map(({ key, name, description }) => {
    const cells = byCategory.get(key) ?? [];
    const isCritical = cells.some(({ is_critical }) => is_critical);
    return {
      ...{ key, name, description, isCritical },
      channels: isCritical
        ? []
        : cells
            .filter(({ channel }) => used.has(channel))
            .map(({ channel, opted_in: isOn }) => ({ channel, isOn })),
    };
  });
}

/** The value of a checkbox and of the hidden field that says how it was shown. */
const cellName = (categoryKey: string, channel: Channel): string => `${categoryKey}:${channel}`;

/** The name of the hidden field of a checkbox. */
const shownName = (isOn: boolean): 'shown_on' | 'shown_off' => (isOn ? 'shown_on' : 'shown_off');

/**
 * The changes that a form asks for. Only checkboxes that the page had shown count, and only those that the recipient changed: a
 * form that was open for a while must not undo what was chosen elsewhere since. Unknown names are ignored, because a category
 * may have been archived since.
 */
export function changesIn(form: URLSearchParams, choices: Choice[]): PreferenceChange[] {
  const shown = new Map(
    [true, false].flatMap((isOn) => form.getAll(shownName(isOn)).map((cell) => [cell, isOn] as const)),
  );
  const stopsAll = form.get('all') === 'off';
  const on = new Set(stopsAll ? [] : form.getAll('on'));
  return choices.flatMap(({ key, channels }) =>
    channels.flatMap(({ channel, isOn }) => {
      const name = cellName(key, channel);
      const wanted = on.has(name);
      const isAsked = shown.has(name) && (stopsAll || shown.get(name) !== wanted);
      return isAsked && wanted !== isOn ? [{ category_key: key, channel, opted_in: wanted }] : [];
    }),
  );
}
