import { html, type TemplateResult } from 'lit';
import type { FeedStatus } from './entries.ts';
import { bellIcon } from './icons.ts';
import type { InboxStore } from './inbox-store.ts';
import type { MessageName, Say } from './messages.ts';

const blanks: Record<FeedStatus, [title: MessageName, hint: MessageName]> = {
  all: ['empty', 'emptyHint'],
  unread: ['emptyUnread', 'emptyUnreadHint'],
  snoozed: ['emptySnoozed', 'emptySnoozedHint'],
};

/** What a feed without items shows: that it failed, loads or is empty. Null when there are items. */
export function feedBlank(store: InboxStore | null, say: Say): TemplateResult | null {
  if (store?.phase === 'failed') {
    return html`<div class="blank" role="alert">
      <strong>${say('loadFailed')}</strong>
      <button class="text-button" @click=${() => store.load()}>${say('retry')}</button>
    </div>`;
  }
  if (store?.phase !== 'ready') {
    return html`<div aria-busy="true" aria-label=${say('loading')} role="img">
      ${[1, 2, 3, 4].map(() => html`<div class="row-bones"><div class="bone"></div><div class="bone"></div></div>`)}
    </div>`;
  }
  if (store.entries.length > 0) return null;
  const [title, hint] = blanks[store.status];
  return html`<slot name="empty"
    ><div class="blank">
      ${bellIcon}<strong>${say(title)}</strong>
      <span>${say(hint)}</span>
    </div></slot
  >`;
}
