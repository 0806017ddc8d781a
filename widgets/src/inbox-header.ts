import { html, nothing, type TemplateResult } from 'lit';
import type { FeedStatus } from './entries.ts';
import { archiveIcon, closeIcon } from './icons.ts';
import type { InboxStore } from './inbox-store.ts';
import type { Say } from './messages.ts';

interface HeaderContext {
  say: Say;
  heading: string | null;
  store: InboxStore | null;
  isBell: boolean;
  show(status: FeedStatus): void;
  markAllRead(): void;
  archiveRead(): void;
  close(): void;
}

/** Renders the heading, the filter and the buttons for the whole list. */
export function inboxHeader(context: HeaderContext): TemplateResult {
  const { say, store } = context;
  return html`<header part="header">
    <h2 id="heading" part="heading">${context.heading ?? say('notifications')}</h2>
    <div class="filter-row">
      <div class="filter" role="group" aria-label=${say('filter')}>
        ${filterButton('all', say('filterAll'), context)}${filterButton('unread', say('filterUnread'), context)}${filterButton('snoozed', say('filterSnoozed'), context)}
      </div>
    </div>
    <span class="space"></span>
    <button class="text-button" part="mark-all" ?disabled=${!store?.unread} @click=${context.markAllRead}>
      ${say('markAllRead')}
    </button>
    <button
      class="icon-button"
      part="archive-read"
      aria-label=${say('archiveRead')}
      title=${say('archiveRead')}
      ?disabled=${!store?.entries.some(({ item }) => item.is_read && !item.snoozed_until)}
      @click=${context.archiveRead}
    >
      ${archiveIcon}
    </button>
    ${
      context.isBell
        ? html`<button class="icon-button" aria-label=${say('close')} title=${say('close')} @click=${context.close}>${closeIcon}</button>`
        : nothing
    }
  </header>`;
}

function filterButton(status: FeedStatus, text: string, { store, show }: HeaderContext): TemplateResult {
  const isOn = (store?.status ?? 'all') === status;
  return html`<button aria-pressed=${isOn} @click=${() => !isOn && show(status)}>${text}</button>`;
}
