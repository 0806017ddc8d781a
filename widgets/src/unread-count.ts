/** A change of this page that the service has not answered yet. */
export interface PendingChange {
  takeBack(): void;
  end(): void;
}

/**
 * The number of unread items. A change of this page counts at once. Counts of the service that arrive before its answer wait for it: they
 * may not include the change.
 */
export class UnreadCount {
  /** Null until it is known. */
  value: number | null = null;

  #pending = 0;
  #received: number | null = null;
  #announced: number | null = null;
  #announce: (unread: number) => void;

  /** `announce` is called with every new value. */
  constructor(announce: (unread: number) => void) {
    this.#announce = announce;
  }

  /** Takes a count of the service. */
  receive(unread: number): void {
    if (this.#pending > 0) this.#received = unread;
    else this.value = unread;
    this.#tell();
  }

  begin(change: number): PendingChange {
    const wasKnown = this.value !== null;
    this.#pending += 1;
    this.#add(change);
    this.#tell();
    return {
      takeBack: () => {
        if (this.#received === null && wasKnown) this.#add(-change);
      },
      end: () => {
        this.#pending -= 1;
        if (this.#pending === 0) {
          // Counts received meanwhile did not include later changes; the last one does.
          this.value = this.#received ?? this.value;
          this.#received = null;
        }
        this.#tell();
      },
    };
  }

  #add(change: number): void {
    this.value = Math.max(0, (this.value ?? 0) + change);
  }

  #tell(): void {
    if (this.value === null || this.value === this.#announced) return;
    this.#announced = this.value;
    this.#announce(this.value);
  }
}
