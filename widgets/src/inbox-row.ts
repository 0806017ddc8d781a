import { html, nothing, type TemplateResult } from 'lit';
import { type ChoiceContext, choices } from './choices.ts';
import type { Entry } from './entries.ts';
import { archiveIcon, checkIcon, dotIcon, returnIcon, snoozeIcon } from './icons.ts';
import { timeAgo } from './messages.ts';
import { safeUrl, sanitise } from './sanitise.ts';
import { dayAndTime } from './snooze-times.ts';

export interface RowContext extends ChoiceContext {
  language: string;
  /** The current time of the service in Unix milliseconds. */
  now: number;
  /** Created when a row is rendered, dropped when it is removed. */
  bodies: Map<string, HTMLElement | null>;
  open(entry: Entry, event: Event): void;
  toggleRead(entry: Entry): void;
  archive(entry: Entry): void;
  isSnoozing(entry: Entry): boolean;
  snooze(entry: Entry, event: Event): void;
  unsnooze(entry: Entry): void;
  expand(entry: Entry): void;
}

/** Renders one item. Only the current row and its controls are in the tab order. */
export function row(entry: Entry, position: number, isCurrent: boolean, context: RowContext): TemplateResult {
  const { item, expanded, overflows } = entry;
  const { say } = context;
  const tabindex = isCurrent ? 0 : -1;
  const body = bodyOf(entry, context.bodies);
  if (body) {
    body.classList.toggle('clamped', !expanded);
    body.classList.toggle('overflows', overflows);
  }
  const at = Date.parse(item.created_at);
  return html`<article
    part="item ${item.is_read ? '' : 'item-unread'}"
    class=${item.is_read ? '' : 'unread'}
    data-id=${item.id}
    tabindex=${tabindex}
    aria-posinset=${position}
    aria-setsize="-1"
    aria-labelledby="t-${item.id}"
    aria-describedby="b-${item.id}"
  >
    ${item.is_read ? nothing : html`<span class="dot" part="dot"></span>`}
    <div class="line">
      ${title(entry, context)}
      <time part="time" datetime=${item.created_at} title=${new Date(at).toLocaleString(context.language)}
        >${timeAgo(at, context.now, context.language, say('now'))}</time
      >
    </div>
    <div class="content" id="b-${item.id}">${body}</div>
    ${
      overflows
        ? html`<button class="more text-button" tabindex=${tabindex} aria-expanded=${expanded} @click=${() => context.expand(entry)}>
            ${say(expanded ? 'showLess' : 'showMore')}
          </button>`
        : nothing
    }
    ${
      item.snoozed_until
        ? html`<div class="until">${say('snoozedUntil', { time: dayAndTime(new Date(item.snoozed_until), context.language) })}</div>`
        : nothing
    }
    ${choices(entry, tabindex, context)}
    <div class="actions" part="actions">
      ${item.snoozed_until ? returnButton(entry, tabindex, context) : rowButtons(entry, tabindex, context)}
    </div>
  </article>`;
}

function rowButtons(entry: Entry, tabindex: number, context: RowContext): TemplateResult {
  const { say } = context;
  const readLabel = say(entry.item.is_read ? 'markUnread' : 'markRead');
  return html`<button class="icon-button" tabindex=${tabindex} aria-label=${readLabel} title=${readLabel} @click=${() => context.toggleRead(entry)}>
      ${entry.item.is_read ? dotIcon : checkIcon}
    </button>
    <button
      class="icon-button"
      tabindex=${tabindex}
      aria-label=${say('snooze')}
      title=${say('snooze')}
      aria-haspopup="menu"
      aria-expanded=${context.isSnoozing(entry)}
      @click=${(event: Event) => context.snooze(entry, event)}
    >
      ${snoozeIcon}
    </button>
    <button class="icon-button" tabindex=${tabindex} aria-label=${say('archive')} title=${say('archive')} @click=${() => context.archive(entry)}>
      ${archiveIcon}
    </button>`;
}

function returnButton(entry: Entry, tabindex: number, { say, unsnooze }: RowContext): TemplateResult {
  return html`<button class="icon-button" tabindex=${tabindex} aria-label=${say('unsnooze')} title=${say('unsnooze')} @click=${() => unsnooze(entry)}>
    ${returnIcon}
  </button>`;
}

/** A real link when there is a URL, so that it can be opened in a new tab and copied. */
function title(entry: Entry, { say, linkTarget, open }: RowContext): TemplateResult {
  const { id, subject, is_read, action_url } = entry.item;
  const text = html`${is_read ? nothing : html`<span class="sr-only">${say('unread')}: </span>`}<bdi>${subject || say('untitled')}</bdi>`;
  const href = safeUrl(action_url);
  const onClick = (event: Event) => open(entry, event);
  if (href === null) {
    return html`<button id="t-${id}" class="title" part="title" tabindex="-1" @click=${onClick}>${text}</button>`;
  }
  return html`<a
    id="t-${id}"
    class="title"
    part="title"
    tabindex="-1"
    href=${href}
    target=${linkTarget ?? nothing}
    rel="noopener"
    @click=${onClick}
    @auxclick=${onClick}
    >${text}</a
  >`;
}

function bodyOf({ item }: Entry, bodies: Map<string, HTMLElement | null>): HTMLElement | null {
  const made = bodies.get(item.id);
  if (made !== undefined) return made;
  const body = makeBody(item.html_body, item.text_body);
  bodies.set(item.id, body);
  return body;
}

function makeBody(htmlBody: string | null, textBody: string | null): HTMLElement | null {
  if (!htmlBody && !textBody) return null;
  const body = document.createElement('div');
  body.className = htmlBody ? 'body' : 'body text';
  body.setAttribute('part', 'body');
  body.dir = 'auto';
  if (htmlBody) body.append(sanitise(htmlBody));
  else body.textContent = textBody;
  return body;
}
