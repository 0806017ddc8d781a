import type { Entry } from './entries.ts';
import type { InboxStore } from './inbox-store.ts';
import { type Range, visibleRange } from './window.ts';

/** The height of a row before it is measured, in pixels. */
const estimate = 78;
/** Below this scroll position new items are only announced at the top. */
const atTop = 40;
/** The distance from the end at which the next page loads. */
const endMargin = 800;

export interface FeedHost {
  root(): ShadowRoot | null;
  requestUpdate(): void;
  store(): InboxStore | null;
  archive(entry: Entry): void;
}

/** The rendered rows and the current row of the keyboard; neither jumps when the list changes. */
export class FeedView {
  /** New items above the visible rows. */
  fresh = 0;
  /** Created when a row is rendered, dropped when it is removed. */
  readonly bodies = new Map<string, HTMLElement | null>();

  #host: FeedHost;
  #range: Range = { start: 0, end: 0, before: 0, after: 0 };
  #currentId: string | null = null;
  #currentIndex = 0;
  #anchor: { id: string; top: number } | null = null;
  #hadFocus = false;
  #focusNext = false;
  #frame = 0;

  constructor(host: FeedHost) {
    this.#host = host;
  }

  get start(): number {
    return this.#range.start;
  }

  rows(): Entry[] {
    return this.#entries.slice(this.#range.start, this.#range.end);
  }

  isCurrent(entry: Entry): boolean {
    return entry.item.id === this.#currentId;
  }

  setCurrent(id: string): void {
    this.#currentId = id;
  }

  /** Moves the keyboard focus to the current row once there is one; `false` cancels that. */
  focus(wanted = true): void {
    this.#focusNext = wanted;
    this.#host.requestUpdate();
  }

  noteArrival(): void {
    if ((this.#scroller?.scrollTop ?? 0) > atTop) this.fresh += 1;
  }

  reset(): void {
    this.fresh = 0;
    this.#currentId = null;
    this.bodies.clear();
    cancelAnimationFrame(this.#frame);
    if (this.#scroller) this.#scroller.scrollTop = 0;
  }

  toTop = (): void => {
    this.reset();
    this.focus();
  };

  get #entries(): Entry[] {
    return this.#host.store()?.entries ?? [];
  }

  get #scroller(): HTMLElement | null {
    return this.#host.root()?.querySelector<HTMLElement>('.scroller') ?? null;
  }

  get #feed(): HTMLElement | null {
    return this.#host.root()?.querySelector<HTMLElement>('.feed') ?? null;
  }

  get #hasFocus(): boolean {
    return this.#feed?.contains(this.#host.root()?.activeElement ?? null) ?? false;
  }

  /** Called before the rows are rendered. */
  prepare(): void {
    const entries = this.#entries;
    const scroller = this.#scroller;
    const index = entries.findIndex(({ item }) => item.id === this.#currentId);
    // When the current row is removed, the focus moves to the row that takes its position.
    this.#currentIndex = index >= 0 ? index : Math.max(0, Math.min(this.#currentIndex, entries.length - 1));
    if (this.#currentId === null) this.#currentIndex = 0;
    this.#currentId = entries[this.#currentIndex]?.item.id ?? null;
    this.#noteAnchor(scroller);
    this.#hadFocus = this.#hasFocus;
    this.#range = visibleRange(entries, estimate, scroller?.scrollTop ?? 0, scroller?.clientHeight ?? 600);
    const shown = new Set(this.rows().map(({ item }) => item.id));
    for (const id of this.bodies.keys()) if (!shown.has(id)) this.bodies.delete(id);
  }

  /** The first visible row: it must not move when rows above it are added, removed or measured. */
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

  /** Called after the rows are rendered. */
  settle(): void {
    const scroller = this.#scroller;
    const feed = this.#feed;
    const store = this.#host.store();
    // An empty inbox cancels the focus: the first item may arrive in an hour.
    if (store?.phase === 'ready' && !feed) this.#focusNext = false;
    if (!scroller || !feed || !store) return;
    // Set through the CSSOM, not as attributes: a content policy may forbid inline styles.
    feed.style.paddingBlockStart = `${this.#range.before}px`;
    feed.style.paddingBlockEnd = `${this.#range.after}px`;
    this.#measure(feed);
    this.#keepPlace(scroller, feed);
    this.#keepFocus(feed);
    if (scroller.clientHeight > 0 && isNearEnd(scroller) && !store.moreFailed) void store.loadMore();
  }

  #measure(feed: HTMLElement): void {
    const byId = new Map(this.rows().map((entry) => [entry.item.id, entry]));
    for (const element of feed.querySelectorAll('article')) {
      const entry = byId.get(element.dataset.id ?? '');
      if (!entry || element.offsetHeight === 0) continue;
      entry.height = element.offsetHeight;
      const body = this.bodies.get(entry.item.id);
      if (entry.expanded || !body) continue;
      const overflows = body.scrollHeight > body.clientHeight + 4;
      if (overflows === entry.overflows) continue;
      entry.overflows = overflows;
      this.#host.requestUpdate();
    }
  }

  #keepPlace(scroller: HTMLElement, feed: HTMLElement): void {
    const anchor = this.#anchor;
    if (!anchor) return;
    const element = feed.querySelector<HTMLElement>(`[data-id="${CSS.escape(anchor.id)}"]`);
    const moved = element ? element.offsetTop - scroller.scrollTop - anchor.top : 0;
    if (Math.abs(moved) > 1) scroller.scrollTop += moved;
  }

  /** The focus of a removed row moves to the next one and never gets lost to the page. */
  #keepFocus(feed: HTMLElement): void {
    if (!this.#focusNext && (!this.#hadFocus || this.#hasFocus)) return;
    const current = feed.querySelector<HTMLElement>('article[tabindex="0"]');
    (current ?? feed).focus({ preventScroll: !this.#focusNext });
    this.#focusNext = false;
  }

  onScroll = (): void => {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      const scroller = this.#scroller;
      const store = this.#host.store();
      if (!scroller || !store) return;
      const { scrollTop, clientHeight } = scroller;
      const wasBehind = this.fresh > 0;
      if (scrollTop <= atTop) this.fresh = 0;
      // The next rows are rendered when half of the margin is left.
      const { start, end } = visibleRange(store.entries, estimate, scrollTop, clientHeight, 300);
      const isOutside = start < this.#range.start || end > this.#range.end;
      const wantsMore = store.hasMore && isNearEnd(scroller);
      if (isOutside || wantsMore || (wasBehind && this.fresh === 0)) this.#host.requestUpdate();
    });
  };

  onFocus = (event: FocusEvent): void => {
    const id = (event.target as Element).closest<HTMLElement>('article')?.dataset.id;
    if (!id || id === this.#currentId) return;
    this.#currentId = id;
    this.#host.requestUpdate();
  };

  onKey = (event: KeyboardEvent): void => {
    const last = this.#entries.length - 1;
    const at = this.#currentIndex;
    const target = event.target as HTMLElement;
    const isRow = target.matches('article, .feed');
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + 5,
      PageUp: at - 5,
      Home: 0,
      End: last,
    };
    const to = moves[event.key];
    const entry = this.#entries[at];
    if (to !== undefined) this.#moveTo(Math.max(0, Math.min(to, last)));
    else if (isRow && (event.key === 'Enter' || event.key === ' ')) {
      target.querySelector<HTMLElement>('.title')?.click();
    } else if (isRow && event.key === 'Delete' && entry) this.#host.archive(entry);
    else return;
    event.preventDefault();
  };

  #moveTo(index: number): void {
    const scroller = this.#scroller;
    const entries = this.#entries;
    const entry = entries[index];
    if (!scroller || !entry) return;
    this.#currentId = entry.item.id;
    if (index < this.#range.start || index >= this.#range.end) {
      const above = entries.slice(0, index);
      scroller.scrollTop = above.reduce((sum, { height }) => sum + (height || estimate), 0);
    }
    this.focus();
  }
}

function isNearEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < endMargin;
}
