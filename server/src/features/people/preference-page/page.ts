import type { Channel } from '../../../channels/contract.ts';
import { hostedPage, type PageBrand } from '../../../http/hosted-page.ts';
import { type Html, html } from '../../../http/html.ts';
import type { Reply } from '../../../http/route.ts';
import { type Choice, cellName, shownName } from './choices.ts';
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
