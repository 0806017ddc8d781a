import { AuthenticationError, type GetOwnPreferencesResult, PermissionError } from '@carillon/sdk/inbox';
import { type Client, createClient } from './client.ts';
import type { Tokens } from './tokens.ts';

/** A category with the value of each channel. */
export interface Category {
  key: string;
  name: string;
  description: string | null;
  isCritical: boolean;
  cells: Map<string, boolean>;
}

export interface PreferencesHost {
  changed(): void;
  failed(error: unknown, during: 'load' | 'change'): void;
}

/** The state of a preferences element. Changes apply at once and are reverted when the service rejects them. */
export class PreferencesStore {
  categories: Category[] = [];
  phase: 'loading' | 'ready' | 'failed' = 'loading';
  isUnauthorized = false;

  #client: Client;
  #tokens: Tokens;
  #host: PreferencesHost;
  #inUse = new Set<string>();
  #loads = 0;
  #pending = 0;

  constructor(url: string, tokens: Tokens, host: PreferencesHost) {
    this.#client = createClient(url, tokens);
    this.#tokens = tokens;
    this.#host = host;
  }

  stop(): void {
    this.#loads = Number.NaN; // Pending responses are ignored.
  }

  async load(): Promise<void> {
    const turn = ++this.#loads;
    if (this.phase === 'failed') this.phase = 'loading';
    this.#host.changed();
    try {
      const answer = await this.#client.preferences.get();
      if (turn !== this.#loads || this.#pending > 0) return;
      this.#show(answer);
      this.phase = 'ready';
    } catch (error) {
      if (turn !== this.#loads) return;
      // Shown data is better than an error.
      if (this.phase !== 'ready') this.phase = 'failed';
      this.#fail(error, 'load');
    }
    this.#host.changed();
  }

  /** The relevant channels: those of a category, or chosen by this user. */
  channels(wanted: string[] | null): string[] {
    const all = this.categories[0] ? [...this.categories[0].cells.keys()] : [];
    if (wanted) return wanted.filter((channel) => all.includes(channel));
    const used = all.filter((channel) => this.#inUse.has(channel));
    return used.length > 0 ? used : all;
  }

  get hasAnything(): boolean {
    return this.categories.some(({ isCritical, cells }) => !isCritical && [...cells.values()].some(Boolean));
  }

  /** Returns true when the service accepted the change. */
  set(key: string, channel: string, optedIn: boolean): Promise<boolean> {
    const cells = this.categories.find((category) => category.key === key)?.cells;
    if (!cells) return Promise.resolve(false);
    const before = cells.get(channel) ?? false;
    cells.set(channel, optedIn);
    return this.#attempt(
      async () => {
        cells.set(
          channel,
          (await this.#client.preferences.set(key, channel, { opted_in: optedIn })).opted_in,
        );
      },
      () => cells.set(channel, before),
    );
  }

  unsubscribeAll(): Promise<boolean> {
    const before = this.categories.map((category) => ({ category, cells: category.cells }));
    for (const category of this.categories) {
      if (!category.isCritical)
        category.cells = new Map([...category.cells.keys()].map((key) => [key, false]));
    }
    return this.#attempt(
      () => this.#client.preferences.unsubscribeAll(),
      () => {
        for (const { category, cells } of before) category.cells = cells;
      },
    );
  }

  async #attempt(work: () => Promise<unknown>, undo: () => void): Promise<boolean> {
    this.#pending += 1;
    this.#host.changed();
    try {
      await work();
      return true;
    } catch (error) {
      undo();
      this.#fail(error, 'change');
      return false;
    } finally {
      this.#pending -= 1;
      this.#host.changed();
    }
  }

  #fail(error: unknown, during: 'load' | 'change'): void {
    this.isUnauthorized =
      this.#tokens.isStuck || error instanceof PermissionError || error instanceof AuthenticationError;
    this.#host.failed(error, during);
  }

  #show({ data, categories }: GetOwnPreferencesResult): void {
    const described = new Map(categories.map((category) => [category.key, category]));
    this.#inUse = new Set<string>(categories.flatMap(({ default_channels }) => default_channels));
    const byKey = new Map<string, Category>();
    for (const { category_key: key, channel, opted_in, is_critical } of data) {
      const category = byKey.get(key) ?? {
        key,
        name: described.get(key)?.name ?? key,
        description: described.get(key)?.description ?? null,
        isCritical: is_critical,
        cells: new Map<string, boolean>(),
      };
      category.cells.set(channel, opted_in);
      byKey.set(key, category);
      if (!is_critical && opted_in) this.#inUse.add(channel);
    }
    this.categories = [...byKey.values()];
  }
}
