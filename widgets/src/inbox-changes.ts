import type { Client } from './client.ts';
import type { Entry, ShownList } from './entries.ts';
import type { InboxItem } from './public.ts';
import { filterOf } from './tabs.ts';
import type { UnreadCount } from './unread-count.ts';

export type Mark = 'read' | 'unread' | 'archive';

interface ChangesHost {
  changed(): void;
  failed(error: unknown, during: string): void;
  /** The list may differ from that of the service. */
  outdated(): void;
}

/** The changes that a person makes. They apply to the list at once and are reverted when the service rejects them. */
export class InboxChanges {
  #list: ShownList;
  #client: Client;
  #count: UnreadCount;
  #host: ChangesHost;

  constructor(list: ShownList, client: Client, count: UnreadCount, host: ChangesHost) {
    this.#list = list;
    this.#client = client;
    this.#count = count;
    this.#host = host;
  }

  /** Returns true when the service accepted the change. */
  async mark(id: string, as: Mark): Promise<boolean> {
    const entry = this.#find(id);
    const before = entry?.item;
    if (!entry || !before || (as !== 'archive' && before.is_read === (as === 'read'))) return false;
    const putBack = as === 'archive' ? this.#remove(entry) : null;
    if (as !== 'archive') entry.item = { ...before, is_read: as === 'read' };
    const shown = entry.item;
    const change = as === 'unread' ? 1 : before.is_read ? 0 : -1;
    return this.#attempt(as, change, () => this.#marking(as)(id), {
      done: (item) => {
        if (as !== 'archive') entry.item = item;
      },
      undo: () => {
        // Unless the stream has confirmed the change: only the response was lost.
        if (entry.item === shown) entry.item = before;
        putBack?.();
      },
    });
  }

  async markAllRead(): Promise<boolean> {
    const unread = this.#list.entries.filter(({ item }) => !item.is_read);
    // Only up to the newest shown item, by the clock of the service.
    const before = this.#beforeArrivals();
    const was = unread.map((entry) => ({ entry, item: entry.item }));
    for (const entry of unread) entry.item = { ...entry.item, is_read: true };
    const change = this.#list.tab ? unread.length : (this.#count.value ?? 0);
    const request = { before, ...filterOf(this.#list.tab) };
    return this.#attempt('read', -change, () => this.#client.markAllRead(request), {
      done: ({ unread_count }) => {
        this.#count.receive(unread_count);
      },
      undo: () => {
        for (const { entry, item } of was) entry.item = item;
      },
    });
  }

  /** Archives the read items of the tab. */
  async archiveRead(): Promise<boolean> {
    const was = this.#list.entries;
    const request = { status: 'read', before: this.#beforeArrivals(), ...filterOf(this.#list.tab) } as const;
    this.#list.entries = was.filter(({ item }) => !item.is_read);
    return this.#attempt('archive', 0, () => this.#client.archiveAll(request), {
      done: () => {},
      undo: () => {
        this.#list.entries = was;
      },
    });
  }

  /** The time after the newest item of the list, by the clock of the service; null when the list may lack newer ones. */
  #beforeArrivals(): string | null {
    if (this.#list.status !== 'all' || this.#list.entries.length === 0) return null;
    const newest = Math.max(...this.#list.entries.map(({ item }) => Date.parse(item.created_at)));
    return new Date(newest + 1).toISOString();
  }

  /** Returns true when the service accepted it. */
  async snooze(id: string, until: string): Promise<boolean> {
    return this.#takeOut(id, 'snooze', () => this.#client.snooze(id, { until }));
  }

  async unsnooze(id: string): Promise<boolean> {
    return this.#takeOut(id, 'unsnooze', () => this.#client.unsnooze(id));
  }

  /** The item leaves the list at once, and comes back when the service rejects the change. */
  async #takeOut(id: string, during: string, work: () => Promise<InboxItem>): Promise<boolean> {
    const entry = this.#find(id);
    if (!entry) return false;
    const undo = this.#remove(entry);
    const change = during === 'snooze' && !entry.item.is_read ? -1 : 0;
    return this.#attempt(during, change, work, {
      done: () => {},
      undo,
    });
  }

  /** Returns true when the service recorded it. */
  async act(id: string, key: string): Promise<boolean> {
    const entry = this.#find(id);
    const before = entry?.item;
    if (!entry || !before || before.action_taken) return false;
    entry.item = { ...before, is_read: true, action_taken: { key, at: new Date().toISOString() } };
    const shown = entry.item;
    const isRecorded = await this.#attempt(
      'action',
      before.is_read ? 0 : -1,
      () => this.#client.takeAction(id, key),
      {
        done: (item) => {
          entry.item = item;
        },
        undo: () => {
          if (entry.item === shown) entry.item = before;
        },
      },
    );
    // Another action may have been chosen elsewhere.
    if (!isRecorded) this.#host.outdated();
    return isRecorded;
  }

  #marking(as: Mark): (id: string) => Promise<InboxItem> {
    if (as === 'archive') return this.#client.archive;
    return as === 'read' ? this.#client.markRead : this.#client.markUnread;
  }

  #find(id: string): Entry | undefined {
    return this.#list.entries.find(({ item }) => item.id === id);
  }

  /** Removes an entry from the list. The result puts it back where it was, unless the stream has. */
  #remove(entry: Entry): () => void {
    const index = this.#list.entries.indexOf(entry);
    this.#list.entries = this.#list.entries.filter((each) => each !== entry);
    return () => {
      if (!this.#find(entry.item.id)) this.#list.entries = this.#list.entries.toSpliced(index, 0, entry);
    };
  }

  async #attempt<Answer>(
    during: string,
    change: number,
    work: () => Promise<Answer>,
    { done, undo }: { done(answer: Answer): void; undo(): void },
  ): Promise<boolean> {
    let isAccepted = true;
    const counted = this.#count.begin(change);
    this.#host.changed();
    try {
      done(await work());
    } catch (error) {
      isAccepted = false;
      undo();
      counted.takeBack();
      this.#host.failed(error, during);
    }
    counted.end();
    this.#host.changed();
    return isAccepted;
  }
}
