import type { InboxEvent, InboxUnreadCounts } from '@carillon/sdk/inbox';
import { type Client, createClient } from './client.ts';
import { type Entry, entryOf, type FeedStatus, mergePage, type ShownList } from './entries.ts';
import { InboxChanges } from './inbox-changes.ts';
import type { Connection, InboxItem, InboxTab } from './public.ts';
import { followTogether } from './shared-stream.ts';
import { filterOf, fits } from './tabs.ts';
import type { Tokens } from './tokens.ts';
import { UnreadCount } from './unread-count.ts';

export interface InboxHost {
  changed(): void;
  /** `isShown`: the item is in the list that is shown. */
  arrived(item: InboxItem, isShown: boolean): void;
  counted(unread: number): void;
  connected(connection: Connection): void;
  failed(error: unknown, during: string): void;
}

export interface InboxOptions {
  url: string;
  tokens: Tokens;
  host: InboxHost;
  /** False reads only the count until `load` is called. */
  eager: boolean;
  /** True reads the unread counts of tabs, too. */
  hasTabs(): boolean;
}

const pageSize = 30;
const maxEmptyPages = 20;
/** The feed is read once the stream is open, so that no item is missed; but it waits no longer than this. */
const patienceMs = 1_000;
/** The counts of tabs follow the count of all items after this time: a burst of changes is one request. */
const tabCountsMs = 300;

/** The state of an inbox element: the list, which the stream keeps up to date, and the counts. */
export class InboxStore implements ShownList {
  entries: Entry[] = [];
  status: FeedStatus = 'all';
  tab: InboxTab | null = null;
  /** Null until they are read; only with tabs. */
  counts: InboxUnreadCounts | null = null;
  phase: 'waiting' | 'loading' | 'ready' | 'failed' = 'waiting';
  loadingMore = false;
  moreFailed = false;
  connection: Connection = 'connecting';
  readonly client: Client;
  readonly changes: InboxChanges;

  #url: string;
  #tokens: Tokens;
  #host: InboxHost;
  #abort = new AbortController();
  #cursor: string | null = null;
  #wanted: boolean;
  /** Events received while a page loads; applied after it, because the page may be older. */
  #whileLoading: InboxEvent[] | null = null;
  #loads = 0;
  /** Incremented when the shown items are no longer the start of the list that the cursor continues. */
  #breaks = 0;
  #refreshing: Promise<void> = Promise.resolve();
  #count = new UnreadCount((unread) => {
    this.#host.counted(unread);
    this.countTabs();
  });
  #hasTabs: () => boolean;
  #tabCounts: ReturnType<typeof setTimeout> | undefined;

  constructor({ url, tokens, host, eager, hasTabs }: InboxOptions) {
    this.client = createClient(url, tokens);
    this.#url = url;
    this.#tokens = tokens;
    this.#host = host;
    this.#wanted = eager;
    this.#hasTabs = hasTabs;
    this.changes = new InboxChanges(this, this.client, this.#count, {
      changed: () => host.changed(),
      failed: (error, during) => this.#failed(error, during),
      outdated: () => void this.#catchUp(),
    });
  }

  /** Null until it is known. */
  get unread(): number | null {
    return this.#count.value;
  }

  get hasMore(): boolean {
    return this.#cursor !== null;
  }

  start(): void {
    const impatient = setTimeout(() => void this.#catchUp(), patienceMs);
    const { signal } = this.#abort;
    signal.addEventListener('abort', () => clearTimeout(impatient));
    void followTogether(
      this.#url,
      this.client,
      this.#tokens,
      {
        onEvent: (event) => this.#take(event),
        onConnection: (connection) => this.#connected(connection),
        onReady: () => {
          clearTimeout(impatient);
          void this.#catchUp();
        },
      },
      signal,
    );
  }

  stop(): void {
    this.#abort.abort();
    clearTimeout(this.#tabCounts);
  }

  /** Reads the counts of the tabs soon, if there are tabs. They are shown as they were when that fails; the next change reads them again. */
  countTabs(): void {
    if (!this.#hasTabs() || !this.#wanted) return;
    clearTimeout(this.#tabCounts);
    this.#tabCounts = setTimeout(async () => {
      const counts = await this.client.unreadCounts().catch(() => null);
      if (!counts || this.#abort.signal.aborted) return;
      this.counts = counts;
      this.#host.changed();
    }, tabCountsMs);
  }

  /** Goes on while a page is empty: in a very large inbox, the newest items may all be of other tabs. */
  async #page(status: FeedStatus, from: string | null) {
    const request = { status, ...filterOf(this.tab), limit: pageSize };
    let page = await this.client.feed({ ...request, ...(from ? { cursor: from } : {}) }).page();
    for (let more = maxEmptyPages; page.data.length === 0 && page.next_cursor && more > 0; more -= 1)
      page = await this.client.feed({ ...request, cursor: page.next_cursor }).page();
    return page;
  }

  /** Loads the first page, also when `status` or `tab` changes. */
  async load(status: FeedStatus = this.status, tab: InboxTab | null = this.tab): Promise<void> {
    const turn = ++this.#loads;
    this.#breaks += 1;
    this.#wanted = true;
    this.status = status;
    this.tab = tab;
    this.phase = 'loading';
    this.entries = [];
    this.#cursor = null;
    this.loadingMore = false;
    this.#whileLoading ??= [];
    this.#host.changed();
    try {
      const feed = await this.#page(status, null);
      if (turn !== this.#loads) return;
      this.entries = feed.data.map(entryOf);
      this.#cursor = feed.next_cursor;
      this.phase = 'ready';
      this.#setCount(feed.unread_count);
      this.countTabs();
    } catch (error) {
      if (turn !== this.#loads) return;
      this.phase = 'failed';
      this.#failed(error, 'load');
    }
    this.#release();
  }

  async loadMore(): Promise<void> {
    if (this.phase !== 'ready' || this.loadingMore || this.#cursor === null) return;
    const turn = this.#breaks;
    this.loadingMore = true;
    this.moreFailed = false;
    this.#host.changed();
    try {
      const feed = await this.#page(this.status, this.#cursor);
      if (turn !== this.#breaks) return;
      const known = new Set(this.entries.map(({ item }) => item.id));
      this.entries = [...this.entries, ...feed.data.filter(({ id }) => !known.has(id)).map(entryOf)];
      this.#cursor = feed.next_cursor;
    } catch (error) {
      if (turn !== this.#breaks) return;
      this.moreFailed = true;
      this.#failed(error, 'load');
    }
    this.loadingMore = false;
    this.#host.changed();
  }

  /** Reads the newest page and merges it into the shown items. One at a time: an older response must not win. */
  refresh(): Promise<void> {
    const turn = this.#refreshing.then(() => this.#refresh());
    this.#refreshing = turn.catch(() => {});
    return turn;
  }

  async #refresh(): Promise<void> {
    if (!this.#wanted) {
      this.#setCount((await this.client.unreadCount()).unread_count);
      return;
    }
    if (this.phase !== 'ready') {
      if (this.phase !== 'loading') await this.load();
      return;
    }
    const turn = this.#loads;
    this.#whileLoading ??= [];
    try {
      const feed = await this.#page(this.status, null);
      if (turn !== this.#loads) return;
      this.#merge(feed.data, feed.next_cursor);
      this.#setCount(feed.unread_count);
    } finally {
      if (turn === this.#loads) this.#release();
    }
  }

  #find(id: string): Entry | undefined {
    return this.entries.find(({ item }) => item.id === id);
  }

  #setCount(unread: number): void {
    this.#count.receive(unread);
    this.#host.changed();
  }

  async #catchUp(): Promise<void> {
    if (this.#abort.signal.aborted) return;
    // A stream starts with the count.
    if (!this.#wanted && this.unread !== null) return;
    try {
      await this.refresh();
    } catch (error) {
      // The feed shows its own error; the count comes with the next event.
      if (!this.#wanted) this.#failed(error, 'load');
    }
  }

  #connected(connection: Connection): void {
    if (connection === this.connection) return;
    this.connection = connection;
    this.#host.connected(connection);
    this.#host.changed();
    if (connection === 'live' && this.phase === 'failed') void this.load();
  }

  #failed(error: unknown, during: string): void {
    if (!this.#abort.signal.aborted) this.#host.failed(error, during);
  }

  #release(): void {
    const received = this.#whileLoading ?? [];
    this.#whileLoading = null;
    for (const event of received) this.#apply(event);
    this.#host.changed();
  }

  #take(event: InboxEvent): void {
    if (this.#whileLoading) this.#whileLoading.push(event);
    else this.#apply(event);
    if (!this.#whileLoading) this.#host.changed();
  }

  #apply({ type, data }: InboxEvent): void {
    const entry = 'id' in data ? this.#find(data.id) : undefined;
    switch (type) {
      case 'notification.arrived':
        if (entry) return;
        this.#add(data);
        return;
      case 'notification.returned':
        if (entry) this.entries = this.entries.filter((each) => each !== entry);
        this.#add(data);
        return;
      case 'notification.snoozed':
        if (this.status === 'snoozed') void this.#catchUp();
        else if (entry) this.entries = this.entries.filter((each) => each !== entry);
        return;
      case 'notification.acted':
        if (this.status === 'snoozed') void this.#catchUp();
        else if (entry)
          entry.item = {
            ...entry.item,
            is_read: true,
            read_at: data.read_at,
            action_taken: data.action_taken,
          };
        return;
      case 'notification.read':
        if (entry) entry.item = { ...entry.item, is_read: true, read_at: data.read_at };
        return;
      case 'notification.unread':
        if (entry) entry.item = { ...entry.item, is_read: false, read_at: null };
        return;
      case 'notification.archived':
      case 'notification.deleted':
        if (entry) this.entries = this.entries.filter((each) => each !== entry);
        return;
      case 'unread_count.changed':
        this.#setCount(data.unread_count);
        return;
      case 'reset':
        this.#setCount(data.unread_count);
        void this.#catchUp();
    }
  }

  /** Adds an item at the top, if the list is one that has it. */
  #add(item: InboxItem): void {
    const isShown = this.phase === 'ready' && this.status !== 'snoozed' && fits(this.tab, item);
    if (isShown) this.entries = [entryOf(item), ...this.entries];
    this.#host.arrived(item, isShown);
  }

  #merge(page: InboxItem[], nextCursor: string | null): void {
    const merged = mergePage(this.entries, page, nextCursor);
    this.entries = merged.entries;
    if (merged.isComplete) this.#cursor = nextCursor;
    if (merged.isGap) {
      this.#breaks += 1;
      this.loadingMore = false;
    }
    for (const item of merged.arrived) this.#host.arrived(item, true);
  }
}
