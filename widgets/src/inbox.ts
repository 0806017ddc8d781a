import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { CarillonElement } from './element.ts';
import { bellIcon, closeIcon } from './icons.ts';
import { type RowContext, row } from './inbox-row.ts';
import { type Entry, type FeedStatus, InboxStore } from './inbox-store.ts';
import { inboxStyle } from './inbox-style.ts';
import type { CarillonInboxElement, InboxVariant } from './public.ts';
import type { Tokens } from './tokens.ts';
import { type Range, visibleRange } from './window.ts';

export { registerMessages } from './messages.ts';

/** Of a row that was never shown. */
const estimate = 78;
const clockMs = 60_000;

/** `<carillon-inbox>`: a bell with a badge that opens the inbox, or the inbox itself. */
export class CarillonInbox extends CarillonElement implements CarillonInboxElement {
  static override styles = [...CarillonElement.styles, inboxStyle];
  static override properties: PropertyDeclarations = {
    ...CarillonElement.properties,
    heading: {},
    linkTarget: { attribute: 'link-target' },
  };

  declare variant: InboxVariant;
  declare heading: string | null;
  declare linkTarget: string | null;

  #store: InboxStore | null = null;
  #isOpen = false;
  #range: Range = { start: 0, end: 0, before: 0, after: 0 };
  #currentId: string | null = null;
  #fresh = 0;
  #status = '';
  #bodies = new Map<string, HTMLElement | null>();
  #anchor: { id: string; top: number } | null = null;
  #focusNext = false;
  #clock: ReturnType<typeof setInterval> | undefined;
  #frame = 0;

  constructor() {
    super();
    this.variant = 'bell';
    this.heading = null;
    this.linkTarget = null;
  }

  get unreadCount(): number | null {
    return this.#store?.unread ?? null;
  }

  open(): void {
    const panel = this.#panel;
    if (this.variant === 'bell' && panel && !panel.matches(':popover-open')) panel.showPopover();
  }

  close(): void {
    if (this.variant === 'bell' && this.#isOpen) this.#panel?.hidePopover();
  }

  async refresh(): Promise<void> {
    await this.#store?.refresh().catch(() => {});
  }

  async markAllRead(): Promise<void> {
    await this.#store?.markAllRead();
    if (this.#store?.unread === 0) this.#announce(this.say('allRead'));
  }

  protected override enter(url: string, tokens: Tokens): void {
    const store = new InboxStore({
      url,
      tokens,
      eager: this.variant !== 'bell' || this.#isOpen,
      host: {
        changed: () => this.requestUpdate(),
        arrived: (item) => {
          if (this.#scroller && this.#scroller.scrollTop > 40) this.#fresh += 1;
          this.#announce(this.say('arrived', { title: item.subject || this.say('untitled') }));
          this.emit('carillon-notification', { item });
        },
        counted: (unread) => this.emit('carillon-unread-count', { unread_count: unread }),
        connected: (connection) => this.emit('carillon-connection', { connection }),
        failed: (error, during) => {
          if (during !== 'load') this.#announce(this.say('changeFailed'), true);
          this.emitError(error, during);
        },
      },
    });
    this.#store = store;
    store.start();
    this.#clock = setInterval(() => {
      if (!document.hidden) this.requestUpdate();
    }, clockMs);
  }

  protected override leave(): void {
    this.#store?.stop();
    this.#store = null;
    this.#fresh = 0;
    this.#currentId = null;
    this.#bodies.clear();
    clearInterval(this.#clock);
  }

  get #panel(): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>('.panel');
  }

  get #scroller(): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>('.scroller');
  }

  #problem = false;
  #announce(text: string, isProblem = false): void {
    this.#status = text;
    this.#problem = isProblem;
    this.requestUpdate();
  }

  protected override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed);
    const entries = this.#store?.entries ?? [];
    const scroller = this.#scroller;
    if (!entries.some(({ item }) => item.id === this.#currentId)) {
      // The current one went away: the keyboard stays where it was, at what has moved up.
      const at = Math.min(this.#currentIndex, entries.length - 1);
      this.#currentId = entries[Math.max(0, at)]?.item.id ?? null;
    }
    this.#currentIndex = Math.max(
      0,
      entries.findIndex(({ item }) => item.id === this.#currentId),
    );
    this.#noteAnchor(scroller);
    this.#hadFocus = this.#feed?.contains(this.#active) ?? false;
    this.#range = visibleRange(entries, estimate, scroller?.scrollTop ?? 0, scroller?.clientHeight ?? 600);
    const shown = new Set(entries.slice(this.#range.start, this.#range.end).map(({ item }) => item.id));
    for (const id of this.#bodies.keys()) if (!shown.has(id)) this.#bodies.delete(id);
  }
  #currentIndex = 0;
  #hadFocus = false;

  get #feed(): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>('.feed');
  }

  get #active(): Element | null {
    return this.shadowRoot?.activeElement ?? null;
  }

  /** The first row that is seen: it must not move under the reader when rows above it come, go, or turn out taller. */
  #noteAnchor(scroller: HTMLElement | null): void {
    this.#anchor = null;
    if (!scroller || scroller.scrollTop <= 0) return;
    for (const element of scroller.querySelectorAll('article')) {
      const top = element.offsetTop - scroller.scrollTop;
      if (top + element.offsetHeight <= 0) continue;
      this.#anchor = { id: element.dataset.id ?? '', top };
      return;
    }
  }

  protected override updated(): void {
    const scroller = this.#scroller;
    const feed = this.#feed;
    if (!scroller || !feed || !this.#store) return;
    // Through the object model and not as attributes: pages may forbid inline styles.
    feed.style.paddingBlockStart = `${this.#range.before}px`;
    feed.style.paddingBlockEnd = `${this.#range.after}px`;
    this.#measure(feed);
    this.#keepPlace(scroller, feed);
    this.#keepFocus(feed);
    if (scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 800 && scroller.clientHeight > 0) {
      if (!this.#store.moreFailed) void this.#store.loadMore();
    }
  }

  #measure(feed: HTMLElement): void {
    const byId = new Map(this.#rendered().map((entry) => [entry.item.id, entry]));
    for (const element of feed.querySelectorAll('article')) {
      const entry = byId.get(element.dataset.id ?? '');
      if (!entry || element.offsetHeight === 0) continue;
      entry.height = element.offsetHeight;
      const body = this.#bodies.get(entry.item.id);
      const overflows = entry.expanded ? entry.overflows : !!body && body.scrollHeight > body.clientHeight + 4;
      if (overflows === entry.overflows) continue;
      entry.overflows = overflows;
      this.requestUpdate();
    }
  }

  #rendered(): Entry[] {
    return this.#store?.entries.slice(this.#range.start, this.#range.end) ?? [];
  }

  #keepPlace(scroller: HTMLElement, feed: HTMLElement): void {
    const anchor = this.#anchor;
    if (!anchor) return;
    const element = feed.querySelector<HTMLElement>(`[data-id="${CSS.escape(anchor.id)}"]`);
    const moved = element ? element.offsetTop - scroller.scrollTop - anchor.top : 0;
    if (Math.abs(moved) > 1) scroller.scrollTop += moved;
  }

  /** Focus that goes with its row is given to what follows; never lost to the page. */
  #keepFocus(feed: HTMLElement): void {
    if (!this.#focusNext && (!this.#hadFocus || feed.contains(this.#active))) return;
    const current = feed.querySelector<HTMLElement>('article[tabindex="0"]');
    (current ?? feed).focus({ preventScroll: !this.#focusNext });
    this.#focusNext = false;
  }

  protected override render(): TemplateResult {
    const { say } = this;
    if (this.variant !== 'bell') return html`${this.#renderPanel()}${this.#renderLive()}`;
    const count = this.#store?.unread ?? 0;
    return html`
      <button
        class="bell"
        part="bell"
        aria-haspopup="dialog"
        aria-expanded=${this.#isOpen}
        aria-controls="panel"
        aria-label=${count > 0 ? say('bellUnread', { count }) : say('bell')}
        popovertarget="panel"
      >
        <slot name="bell">${bellIcon}</slot>
        ${count > 0 ? html`<span class="badge" part="badge" aria-hidden="true">${count > 99 ? '99+' : count.toLocaleString(this.language)}</span>` : nothing}
      </button>
      ${this.#renderPanel()}${this.#renderLive()}
    `;
  }

  #renderLive(): TemplateResult {
    return html`<div class="sr-only" role="status" aria-live="polite">${this.#status}</div>`;
  }

  #renderPanel(): TemplateResult {
    const { say } = this;
    const store = this.#store;
    const isBell = this.variant === 'bell';
    return html`<div
      class="panel"
      id="panel"
      part="panel"
      popover=${isBell ? 'auto' : nothing}
      role=${isBell ? 'dialog' : 'region'}
      aria-labelledby="heading"
      @beforetoggle=${this.#beforeToggle}
      @toggle=${this.#onToggle}
    >
      <header part="header">
        <h2 id="heading" part="heading">${this.heading ?? say('notifications')}</h2>
        <div class="filter-row">
          <div class="filter" role="group" aria-label=${say('filter')}>
            ${this.#filterButton('all', say('filterAll'))}${this.#filterButton('unread', say('filterUnread'))}
          </div>
        </div>
        <span class="space"></span>
        <button class="text-button" part="mark-all" ?disabled=${!store?.unread} @click=${() => this.markAllRead()}>
          ${say('markAllRead')}
        </button>
        ${
          isBell
            ? html`<button class="icon-button" aria-label=${say('close')} title=${say('close')} @click=${() => this.close()}>${closeIcon}</button>`
            : nothing
        }
      </header>
      ${this.#renderNotice()}
      <div class="body-area">
        ${
          this.#fresh > 0
            ? html`<button class="fresh" part="fresh" @click=${this.#toTop}>↑ ${say('fresh', { count: this.#fresh })}</button>`
            : nothing
        }
        <div class="scroller" @scroll=${this.#onScroll}>${this.#renderFeed()}</div>
      </div>
      <footer part="footer"><slot name="footer"></slot></footer>
    </div>`;
  }

  #filterButton(status: FeedStatus, text: string): TemplateResult {
    const isOn = (this.#store?.status ?? 'all') === status;
    return html`<button aria-pressed=${isOn} @click=${() => !isOn && this.#show(status)}>${text}</button>`;
  }

  #show(status: FeedStatus): void {
    this.#fresh = 0;
    if (this.#scroller) this.#scroller.scrollTop = 0;
    void this.#store?.load(status);
  }

  #renderNotice(): TemplateResult | typeof nothing {
    const connection = this.#store?.connection;
    if (connection === 'unauthorized') return html`<div class="notice problem" role="alert">${this.say('unauthorized')}</div>`;
    if (this.#problem) return html`<div class="notice problem">${this.say('changeFailed')}</div>`;
    if (connection === 'offline') return html`<div class="notice">${this.say('offline')}</div>`;
    return nothing;
  }

  #renderFeed(): TemplateResult | TemplateResult[] {
    const { say } = this;
    const store = this.#store;
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
    if (store.entries.length === 0) {
      const isAll = store.status === 'all';
      return html`<slot name="empty"
        ><div class="blank">
          ${bellIcon}<strong>${say(isAll ? 'empty' : 'emptyUnread')}</strong>
          <span>${say(isAll ? 'emptyHint' : 'emptyUnreadHint')}</span>
        </div></slot
      >`;
    }
    const context = this.#rowContext(store);
    const { start } = this.#range;
    return html`<div
        class="feed"
        part="feed"
        role="feed"
        tabindex="-1"
        aria-labelledby="heading"
        aria-busy=${store.loadingMore}
        @keydown=${this.#onKey}
        @focusin=${this.#onFocus}
      >
        ${repeat(
          this.#rendered(),
          ({ item }) => item.id,
          (entry, index) => row(entry, start + index + 1, entry.item.id === this.#currentId, context),
        )}
      </div>
      ${store.loadingMore ? html`<div class="end">${say('loadingMore')}</div>` : nothing}
      ${
        store.moreFailed
          ? html`<div class="end">${say('moreFailed')} <button class="text-button" @click=${() => store.loadMore()}>${say('retry')}</button></div>`
          : nothing
      }`;
  }

  #rowContext(store: InboxStore): RowContext {
    return {
      say: this.say,
      language: this.language,
      now: Date.now() + store.client.skewMs(),
      linkTarget: this.linkTarget,
      bodies: this.#bodies,
      open: (entry, event) => this.#open(entry, event),
      toggleRead: (entry) => this.#mark(entry, entry.item.is_read ? 'unread' : 'read'),
      archive: (entry) => this.#mark(entry, 'archive'),
      expand: (entry) => {
        entry.expanded = !entry.expanded;
        this.requestUpdate();
      },
    };
  }

  #open(entry: Entry, event: Event): void {
    if (event instanceof MouseEvent && event.type === 'auxclick' && event.button !== 1) return;
    this.#currentId = entry.item.id;
    if (!this.emit('carillon-open', { item: entry.item }, true)) event.preventDefault();
    if (!entry.item.is_read) void this.#mark(entry, 'read');
    this.requestUpdate();
  }

  async #mark(entry: Entry, as: 'read' | 'unread' | 'archive'): Promise<void> {
    this.#problem = false;
    const { id } = entry.item;
    const marked = this.#store?.mark(id, as);
    if (as === 'archive') this.#announce(this.say('archived'));
    await marked;
    if (!this.#problem) this.emit('carillon-change', { id, as });
  }

  /** It can be measured only once it is there, and must not be seen before it is in its place. */
  #beforeToggle = (event: ToggleEvent): void => {
    if (event.newState === 'open') (event.target as HTMLElement).style.visibility = 'hidden';
  };

  #onToggle = (event: Event): void => {
    if (event.target !== this.#panel) return;
    const panel = event.target as HTMLElement;
    const isOpen = panel.matches(':popover-open');
    if (isOpen === this.#isOpen) return;
    this.#isOpen = isOpen;
    if (isOpen) {
      this.#place(panel);
      panel.style.visibility = '';
      addEventListener('resize', this.#onResize);
      addEventListener('scroll', this.#onResize, { passive: true, capture: true });
      this.#focusNext = this.#store?.phase === 'ready' && this.#store.entries.length > 0;
      if (!this.#focusNext) panel.querySelector<HTMLElement>('button')?.focus();
      if (this.#store?.phase === 'waiting' || this.#store?.phase === 'failed') void this.#store.load();
    } else {
      this.#stopPlacing();
      this.#problem = false;
      // Escape gives focus back by itself; a click elsewhere keeps it where the click was.
      if (this.#active && panel.contains(this.#active)) this.#bell?.focus();
    }
    this.requestUpdate();
    this.emit('carillon-toggle', { open: isOpen });
  };

  get #bell(): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>('.bell');
  }

  #onResize = (event: Event): void => {
    const panel = this.#panel;
    if (panel && !event.composedPath().includes(panel)) this.#place(panel);
  };

  #stopPlacing(): void {
    removeEventListener('resize', this.#onResize);
    removeEventListener('scroll', this.#onResize, { capture: true });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stopPlacing();
    this.#isOpen = false;
    cancelAnimationFrame(this.#frame);
  }

  /** Below the bell and aligned with its end, above it when there is more room, and always inside the window. */
  #place(panel: HTMLElement): void {
    const bell = this.#bell?.getBoundingClientRect();
    if (!bell) return;
    const { offsetWidth: width, offsetHeight: height } = panel;
    const isRtl = getComputedStyle(this).direction === 'rtl';
    const { innerWidth, innerHeight } = window;
    const wantedLeft = isRtl ? bell.left : bell.right - width;
    const below = bell.bottom + 8;
    const top = below + height <= innerHeight - 8 || bell.top < innerHeight / 2 ? below : bell.top - height - 8;
    panel.style.left = `${Math.max(8, Math.min(wantedLeft, innerWidth - width - 8))}px`;
    panel.style.top = `${Math.max(8, Math.min(top, innerHeight - height - 8))}px`;
  }

  #onScroll = (): void => {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      const scroller = this.#scroller;
      const store = this.#store;
      if (!scroller || !store) return;
      if (scroller.scrollTop <= 40) this.#fresh = 0;
      const { start, end } = visibleRange(store.entries, estimate, scroller.scrollTop, scroller.clientHeight, 300);
      const nearEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 800 && store.hasMore;
      if (start < this.#range.start || end > this.#range.end || nearEnd || scroller.scrollTop === 0) this.requestUpdate();
    });
  };

  #toTop = (): void => {
    this.#fresh = 0;
    this.#currentId = this.#store?.entries[0]?.item.id ?? null;
    if (this.#scroller) this.#scroller.scrollTop = 0;
    this.#focusNext = true;
    this.requestUpdate();
  };

  #onFocus = (event: FocusEvent): void => {
    const id = (event.target as Element).closest<HTMLElement>('article')?.dataset.id;
    if (!id || id === this.#currentId) return;
    this.#currentId = id;
    this.requestUpdate();
  };

  #onKey = (event: KeyboardEvent): void => {
    const entries = this.#store?.entries ?? [];
    const at = this.#currentIndex;
    const target = event.target as HTMLElement;
    const isRow = target.matches('article, .feed');
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + 5,
      PageUp: at - 5,
      Home: 0,
      End: entries.length - 1,
    };
    const to = moves[event.key];
    const entry = entries[at];
    if (to !== undefined) this.#moveTo(Math.max(0, Math.min(to, entries.length - 1)));
    else if (isRow && (event.key === 'Enter' || event.key === ' ')) {
      target.querySelector<HTMLElement>('.title')?.click();
    } else if (isRow && event.key === 'Delete' && entry) void this.#mark(entry, 'archive');
    else return;
    event.preventDefault();
  };

  #moveTo(index: number): void {
    const scroller = this.#scroller;
    const entries = this.#store?.entries ?? [];
    const entry = entries[index];
    if (!scroller || !entry) return;
    this.#currentId = entry.item.id;
    const { start, end } = this.#range;
    if (index < start || index >= end) {
      scroller.scrollTop = entries.slice(0, index).reduce((sum, { height }) => sum + (height || estimate), 0);
    }
    this.#focusNext = true;
    this.requestUpdate();
  }
}

if (!customElements.get('carillon-inbox')) customElements.define('carillon-inbox', CarillonInbox);
