import { html, nothing, type TemplateResult } from 'lit';
import type { Say } from './messages.ts';
import { place } from './placement.ts';
import { clockTime, snoozeChoices } from './snooze-times.ts';

interface MenuHost {
  root(): ShadowRoot | null;
  /** Renders, and resolves when that is done. */
  update(): Promise<unknown>;
}

/** One menu for all rows: it opens beside the button that was pressed, and returns the focus to it. */
export class SnoozeMenu {
  #host: MenuHost;
  #openFor: { id: string; choose(until: Date): void } | null = null;
  #button: HTMLElement | null = null;

  constructor(host: MenuHost) {
    this.#host = host;
  }

  isOpenFor(id: string): boolean {
    return this.#openFor?.id === id;
  }

  async open(id: string, button: HTMLElement, choose: (until: Date) => void): Promise<void> {
    this.#openFor = { id, choose };
    this.#button = button;
    await this.#host.update();
    const menu = this.#menu;
    if (!menu || !button.isConnected) return;
    menu.showPopover();
    place(menu, button);
    menu.querySelector<HTMLElement>('button')?.focus();
  }

  get #menu(): HTMLElement | null {
    return this.#host.root()?.querySelector<HTMLElement>('.snooze-menu') ?? null;
  }

  render(say: Say, language: string, now: Date): TemplateResult {
    return html`<div
      class="snooze-menu"
      part="snooze-menu"
      popover="auto"
      role="menu"
      aria-label=${say('snooze')}
      @toggle=${this.#onToggle}
      @keydown=${this.#onKey}
    >
      ${
        this.#openFor
          ? snoozeChoices(now).map(
              ({
                name,
                until,
              }) => html`<button role="menuitem" tabindex="-1" @click=${() => this.#choose(until)}>
                <span>${say(name)}</span><span class="when">${clockTime(until, language)}</span>
              </button>`,
            )
          : nothing
      }
    </div>`;
  }

  #choose(until: Date): void {
    const { choose } = this.#openFor ?? {};
    this.#close();
    choose?.(until);
  }

  #close(): void {
    this.#button?.focus({ preventScroll: true });
    this.#menu?.hidePopover();
  }

  #onToggle = (event: ToggleEvent): void => {
    event.stopPropagation(); // the panel of the bell listens to its own
    if (event.newState === 'open') return;
    this.#openFor = null;
    void this.#host.update();
  };

  #onKey = (event: KeyboardEvent): void => {
    event.stopPropagation(); // the feed moves with the same keys
    const buttons = [...(this.#menu?.querySelectorAll<HTMLElement>('button') ?? [])];
    const at = buttons.indexOf(event.target as HTMLElement);
    const moves: Record<string, number> = {
      ArrowDown: (at + 1) % buttons.length,
      ArrowUp: (at + buttons.length - 1) % buttons.length,
      Home: 0,
      End: buttons.length - 1,
    };
    const target = buttons[moves[event.key] ?? -1];
    if (event.key === 'Tab' || event.key === 'Escape') this.#close();
    if (event.key === 'Escape') event.preventDefault(); // the panel stays open
    if (!target) return;
    event.preventDefault();
    target.focus();
  };
}
