import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { BellPanel } from './bell-panel.ts';
import { CarillonElement } from './element.ts';
import type { Entry, FeedStatus } from './entries.ts';
import { feedBlank } from './feed-blank.ts';
import { FeedView } from './feed-view.ts';
import { bellIcon } from './icons.ts';
import type { Mark } from './inbox-changes.ts';
import { inboxHeader } from './inbox-header.ts';
import { type RowContext, row } from './inbox-row.ts';
import { InboxStore } from './inbox-store.ts';
import { inboxStyle } from './inbox-style.ts';
import type { CarillonInboxElement, InboxAction, InboxTab, InboxVariant } from './public.ts';
import { PushControl } from './push-control.ts';
import { SnoozeMenu } from './snooze-menu.ts';
import { dayAndTime } from './snooze-times.ts';
import { isSameTab, tabBar } from './tabs.ts';
import { tabsStyle } from './tabs-style.ts';
import type { Tokens } from './tokens.ts';

export { registerMessages } from './messages.ts';

/** The update interval of relative times. */
const clockMs = 60_000;

/** `<carillon-inbox>`: a bell with a badge that opens the inbox, or the inbox itself. */
export class CarillonInbox extends CarillonElement implements CarillonInboxElement {
  static override styles = [...CarillonElement.styles, inboxStyle, tabsStyle];
  static override properties: PropertyDeclarations = {
    ...CarillonElement.properties,
    heading: {},
    linkTarget: { attribute: 'link-target' },
    tabs: { type: Array },
    push: {},
  };

  declare variant: InboxVariant;
  declare heading: string | null;
  declare linkTarget: string | null;
  declare tabs: InboxTab[] | null;
  declare push: string | null;

  #store: InboxStore | null = null;
  #push: PushControl | null = null;
  #view = new FeedView({
    root: () => this.shadowRoot,
    requestUpdate: () => this.requestUpdate(),
    store: () => this.#store,
    archive: (entry) => void this.#mark(entry, 'archive'),
  });
  #snoozeMenu = new SnoozeMenu({
    root: () => this.shadowRoot,
    update: () => {
      this.requestUpdate();
      return this.updateComplete;
    },
  });
  #panel = new BellPanel({ root: () => this.shadowRoot, toggled: (isOpen) => this.#toggled(isOpen) });
  /** The announcement for screen readers. */
  #status = '';
  #hasFailed = false;
  #clock: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.variant = 'bell';
    this.heading = null;
    this.linkTarget = null;
    this.tabs = null;
    this.push = null;
  }

  get unreadCount(): number | null {
    return this.#store?.unread ?? null;
  }

  open(): void {
    if (this.variant === 'bell') this.#panel.open();
  }

  close(): void {
    if (this.variant === 'bell') this.#panel.close();
  }

  async refresh(): Promise<void> {
    await this.#store?.refresh().catch(() => {});
  }

  async markAllRead(): Promise<void> {
    if (!(await this.#store?.changes.markAllRead())) return;
    if (!this.#store?.tab) void this.#push?.close(); // what was read in a tab is withdrawn by the service
    this.#announce(this.say('allRead'));
  }

  async archiveRead(): Promise<void> {
    if (await this.#store?.changes.archiveRead()) this.#announce(this.say('archivedRead'));
  }

  async disablePush(): Promise<void> {
    if (this.#push?.state === 'on') await this.#push.disable();
  }

  protected override enter(url: string, tokens: Tokens): void {
    const store = new InboxStore({
      url,
      tokens,
      eager: this.variant !== 'bell' || this.#panel.isOpen,
      hasTabs: () => this.#tabs.length > 0,
      host: {
        changed: () => this.requestUpdate(),
        arrived: (item, isShown) => {
          if (isShown) this.#view.noteArrival();
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
    if (this.push !== null) {
      this.#push = new PushControl(store.client, this.push, {
        changed: () => this.requestUpdate(),
        failed: (error) => {
          this.#announce(this.say('changeFailed'), true);
          this.emitError(error, 'push');
        },
      });
      this.#push.start();
    }
    this.#clock = setInterval(() => {
      if (!document.hidden) this.requestUpdate();
    }, clockMs);
  }

  protected override leave(): void {
    this.#push?.stop();
    this.#push = null;
    this.#store?.stop();
    this.#store = null;
    this.#view.reset();
    clearInterval(this.#clock);
  }

  get #tabs(): InboxTab[] {
    return Array.isArray(this.tabs) ? this.tabs : [];
  }

  #announce(text: string, isProblem = false): void {
    // Screen readers do not repeat an unchanged text.
    this.#status = text === this.#status ? `${text}\u00a0` : text;
    this.#hasFailed = isProblem;
    this.requestUpdate();
  }

  protected override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed);
    const { tab = null, status = 'all' } = this.#store ?? {};
    const isGone = tab !== null && !this.#tabs.some((each) => isSameTab(each, tab));
    if (changed.has('tabs') && isGone) this.#show(status, null);
    this.#view.prepare();
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('tabs')) this.#store?.countTabs();
    this.#view.settle();
  }

  protected override render(): TemplateResult {
    const { say } = this;
    if (this.variant !== 'bell') return html`${this.#renderPanel()}${this.#renderLive()}`;
    const count = this.#store?.unread ?? 0;
    return html`
      <button
        class="bell"
        part="bell"
        dir=${this.direction}
        aria-haspopup="dialog"
        aria-expanded=${this.#panel.isOpen}
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
      dir=${this.direction}
      popover=${isBell ? 'auto' : nothing}
      role=${isBell ? 'dialog' : 'region'}
      aria-labelledby="heading"
      @beforetoggle=${this.#panel.onBeforeToggle}
      @toggle=${this.#panel.onToggle}
    >
      ${inboxHeader({
        say,
        heading: this.heading,
        store,
        isBell,
        show: (status) => this.#show(status),
        markAllRead: () => void this.markAllRead(),
        archiveRead: () => void this.archiveRead(),
        close: () => this.close(),
      })}
      ${this.#renderTabs()} ${this.#renderNotice()}
      <div
        class="body-area"
        id="feed-area"
        role=${this.#tabs.length > 0 ? 'tabpanel' : nothing}
        aria-labelledby=${this.#tabs.length > 0 ? 'current-tab' : nothing}
      >
        ${
          this.#view.fresh > 0
            ? html`<button class="fresh" part="fresh" @click=${this.#view.toTop}>↑ ${say('fresh', { count: this.#view.fresh })}</button>`
            : nothing
        }
        <div class="scroller" @scroll=${this.#view.onScroll}>${this.#renderFeed()}</div>
      </div>
      ${this.#snoozeMenu.render(say, this.language, new Date(Date.now() + (store?.client.skewMs() ?? 0)))}
      ${this.#renderPush()}
      <footer part="footer"><slot name="footer"></slot></footer>
    </div>`;
  }

  /** A person asks for push with this button; the widget never asks on load. */
  #renderPush(): TemplateResult | typeof nothing {
    const control = this.#push;
    if (!control || control.state === 'unavailable') return nothing;
    const isOn = control.state === 'on';
    return html`<div class="end" part="push">
      <button class="text-button" aria-pressed=${isOn} @click=${() => (isOn ? control.disable() : control.enable())}>
        ${this.say(isOn ? 'pushDisable' : 'pushEnable')}
      </button>
    </div>`;
  }

  #show(status: FeedStatus, tab = this.#store?.tab): void {
    this.#view.reset();
    void this.#store?.load(status, tab);
  }

  #renderTabs(): TemplateResult | typeof nothing {
    const store = this.#store;
    const tabs = this.#tabs;
    if (tabs.length === 0) return nothing;
    return tabBar({
      tabs,
      current: tabs.find((tab) => isSameTab(tab, store?.tab ?? null)) ?? null,
      unread: store?.unread ?? null,
      counts: store?.counts ?? null,
      say: this.say,
      language: this.language,
      show: (tab) => this.#show(store?.status ?? 'all', tab),
    });
  }

  #renderNotice(): TemplateResult | typeof nothing {
    const connection = this.#store?.connection;
    if (connection === 'unauthorized')
      return html`<div class="notice problem" role="alert">${this.say('unauthorized')}</div>`;
    if (this.#hasFailed) return html`<div class="notice problem">${this.say('changeFailed')}</div>`;
    if (connection === 'offline') return html`<div class="notice">${this.say('offline')}</div>`;
    return nothing;
  }

  #renderFeed(): TemplateResult | TemplateResult[] {
    const { say } = this;
    const store = this.#store;
    const blank = feedBlank(store, say);
    if (blank || !store) return blank ?? html``;
    const context = this.#rowContext(store);
    const { start } = this.#view;
    return html`<div
        class="feed"
        part="feed"
        role="feed"
        tabindex="-1"
        aria-labelledby="heading"
        aria-busy=${store.loadingMore}
        @keydown=${this.#view.onKey}
        @focusin=${this.#view.onFocus}
      >
        ${repeat(
          this.#view.rows(),
          ({ item }) => item.id,
          (entry, index) => row(entry, start + index + 1, this.#view.isCurrent(entry), context),
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
      bodies: this.#view.bodies,
      open: (entry, event) => this.#open(entry, event),
      toggleRead: (entry) => this.#mark(entry, entry.item.is_read ? 'unread' : 'read'),
      archive: (entry) => this.#mark(entry, 'archive'),
      choose: (entry, action, event) => this.#choose(entry, action, event),
      isSnoozing: (entry) => this.#snoozeMenu.isOpenFor(entry.item.id),
      snooze: (entry, event) => this.#openSnoozeMenu(entry, event),
      unsnooze: (entry) => this.#unsnooze(entry),
      expand: (entry) => {
        entry.expanded = !entry.expanded;
        this.requestUpdate();
      },
    };
  }

  #open(entry: Entry, event: Event): void {
    if (event instanceof MouseEvent && event.type === 'auxclick' && event.button !== 1) return;
    this.#view.setCurrent(entry.item.id);
    if (!this.emit('carillon-open', { item: entry.item }, true)) event.preventDefault();
    if (!entry.item.is_read) void this.#mark(entry, 'read');
    this.requestUpdate();
  }

  /** A link is followed once the choice is recorded, unless the page or the browser opens it elsewhere. */
  async #choose(entry: Entry, action: InboxAction, event: MouseEvent): Promise<void> {
    this.#hasFailed = false;
    this.#view.setCurrent(entry.item.id);
    const isPrevented = !this.emit('carillon-action', { item: entry.item, action }, true);
    const link = event.currentTarget instanceof HTMLAnchorElement ? event.currentTarget : null;
    const isModified = event.metaKey || event.ctrlKey || event.shiftKey;
    const opensElsewhere = isModified || !['', '_self'].includes(link?.target ?? '');
    if (isPrevented || !opensElsewhere) event.preventDefault();
    const isRecorded = await this.#store?.changes.act(entry.item.id, action.key);
    if (!isRecorded) return;
    this.#announce(this.say('chosen', { action: action.label }));
    if (link && !isPrevented && !opensElsewhere) location.assign(link.href);
  }

  #openSnoozeMenu(entry: Entry, event: Event): void {
    const { id } = entry.item;
    void this.#snoozeMenu.open(id, event.currentTarget as HTMLElement, async (until) => {
      this.#hasFailed = false;
      const snoozed = this.#store?.changes.snooze(id, until.toISOString());
      this.#announce(this.say('snoozedUntil', { time: dayAndTime(until, this.language) }));
      if (await snoozed) this.emit('carillon-change', { id, as: 'snooze' });
    });
  }

  async #unsnooze(entry: Entry): Promise<void> {
    this.#hasFailed = false;
    const { id } = entry.item;
    if (await this.#store?.changes.unsnooze(id)) this.emit('carillon-change', { id, as: 'unsnooze' });
  }

  async #mark(entry: Entry, as: Mark): Promise<void> {
    this.#hasFailed = false;
    const { id } = entry.item;
    const marked = this.#store?.changes.mark(id, as);
    if (as === 'archive') this.#announce(this.say('archived'));
    if (as !== 'unread') void this.#push?.close([id]);
    if (await marked) this.emit('carillon-change', { id, as });
  }

  #toggled(isOpen: boolean): void {
    this.#view.focus(isOpen);
    const phase = this.#store?.phase;
    if (!isOpen) this.#hasFailed = false;
    else if (phase === 'waiting' || phase === 'failed') void this.#store?.load();
    this.requestUpdate();
    this.emit('carillon-toggle', { open: isOpen });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#panel.reset();
  }
}

if (!customElements.get('carillon-inbox')) customElements.define('carillon-inbox', CarillonInbox);
