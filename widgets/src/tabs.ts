import type { GetInboxFeedParams, InboxUnreadCounts } from '@carillon/sdk/inbox';
import { html, nothing, type TemplateResult } from 'lit';
import type { Say } from './messages.ts';
import type { InboxItem, InboxTab } from './public.ts';

/** The filter of a tab as the service takes it; that of all items is empty. */
export function filterOf(tab: InboxTab | null): Pick<GetInboxFeedParams, 'category' | 'tag'> {
  return {
    ...(tab?.category ? { category: tab.category } : {}),
    ...(tab?.tag ? { tag: tab.tag } : {}),
  };
}

/** Tabs are compared by what they show: a page may make new objects whenever it renders, and translate their labels. */
export function isSameTab(one: InboxTab, other: InboxTab | null): boolean {
  if (!other) return false;
  const [filter, otherFilter] = [filterOf(one), filterOf(other)];
  return filter.category === otherFilter.category && filter.tag === otherFilter.tag;
}

export function fits(tab: InboxTab | null, { category, tags }: InboxItem): boolean {
  return (!tab?.category || tab.category === category) && (!tab?.tag || tags.includes(tab.tag));
}

/** The unread items of a tab; null when they are not known, as for a tab by category and tag at once. */
export function unreadIn(tab: InboxTab, counts: InboxUnreadCounts | null): number | null {
  if (!counts || (tab.category && tab.tag)) return null;
  const found = tab.tag
    ? counts.tags.find(({ tag }) => tag === tab.tag)
    : counts.categories.find(({ category }) => category === tab.category);
  return found?.unread_count ?? 0;
}

interface TabBar {
  tabs: readonly InboxTab[];
  current: InboxTab | null;
  unread: number | null;
  counts: InboxUnreadCounts | null;
  say: Say;
  language: string;
  show(tab: InboxTab | null): void;
}

/** A list of tabs, of which the first has all items. The arrow keys move and show at once, as the feed of a tab is near. */
export function tabBar({ tabs, current, unread, counts, say, language, show }: TabBar): TemplateResult {
  const all: (InboxTab | null)[] = [null, ...tabs];
  const button = (tab: InboxTab | null): TemplateResult => {
    const isCurrent = tab === current;
    const label = tab?.label ?? say('filterAll');
    const count = (tab ? unreadIn(tab, counts) : unread) ?? 0;
    // Screen readers get a sentence in place of the bare number.
    const text = count > 0 ? say('tabUnread', { tab: label, count }) : label;
    return html`<button
      role="tab"
      id=${isCurrent ? 'current-tab' : nothing}
      aria-selected=${isCurrent}
      aria-controls="feed-area"
      tabindex=${isCurrent ? 0 : -1}
      @click=${() => !isCurrent && show(tab)}
    >
      <span class="sr-only">${text}</span>
      <bdi aria-hidden="true">${label}</bdi>
      ${count > 0 ? html`<span class="tab-count" aria-hidden="true">${count > 99 ? '99+' : count.toLocaleString(language)}</span>` : nothing}
    </button>`;
  };
  return html`<div class="tabs" part="tabs" role="tablist" aria-label=${say('tabs')} @keydown=${onKey}>
    ${all.map(button)}
  </div>`;
}

function onKey(event: KeyboardEvent): void {
  const bar = event.currentTarget as HTMLElement;
  const buttons = [...bar.querySelectorAll<HTMLElement>('[role=tab]')];
  const at = buttons.indexOf(event.target as HTMLElement);
  const forward = getComputedStyle(bar).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
  const backward = forward === 'ArrowLeft' ? 'ArrowRight' : 'ArrowLeft';
  const moves: Record<string, number> = {
    [forward]: (at + 1) % buttons.length,
    [backward]: (at + buttons.length - 1) % buttons.length,
    Home: 0,
    End: buttons.length - 1,
  };
  const target = buttons[moves[event.key] ?? -1];
  if (!target) return;
  event.preventDefault();
  target.focus();
  target.click();
}
