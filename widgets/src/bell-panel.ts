import { place } from './placement.ts';

interface PanelHost {
  root(): ShadowRoot | null;
  toggled(isOpen: boolean): void;
}

/** The panel of the bell: a popover that stays beside the bell while it is open. */
export class BellPanel {
  isOpen = false;

  #host: PanelHost;

  constructor(host: PanelHost) {
    this.#host = host;
  }

  open(): void {
    const panel = this.#panel;
    if (panel && !panel.matches(':popover-open')) panel.showPopover();
  }

  close(): void {
    if (this.isOpen) this.#panel?.hidePopover();
  }

  /** The element has left the page, and the popover with it. */
  reset(): void {
    this.#stopPlacing();
    this.isOpen = false;
  }

  get #panel(): HTMLElement | null {
    return this.#host.root()?.querySelector<HTMLElement>('.panel') ?? null;
  }

  get #bell(): HTMLElement | null {
    return this.#host.root()?.querySelector<HTMLElement>('.bell') ?? null;
  }

  /** The panel can be measured only when it is open, and must not be visible before it is positioned. */
  onBeforeToggle = (event: ToggleEvent): void => {
    if (event.newState === 'open') (event.target as HTMLElement).style.visibility = 'hidden';
  };

  onToggle = (event: Event): void => {
    const panel = this.#panel;
    if (!panel || event.target !== panel) return;
    const isOpen = panel.matches(':popover-open');
    if (isOpen === this.isOpen) return;
    this.isOpen = isOpen;
    if (isOpen) {
      this.#place();
      panel.style.visibility = '';
      addEventListener('resize', this.#onMove);
      addEventListener('scroll', this.#onMove, { passive: true, capture: true });
      panel.querySelector<HTMLElement>('button')?.focus();
    } else {
      this.#stopPlacing();
      // The browser restores the focus after Escape; a click elsewhere keeps it at the click.
      if (panel.contains(this.#host.root()?.activeElement ?? null)) this.#bell?.focus();
    }
    this.#host.toggled(isOpen);
  };

  #place(): void {
    const panel = this.#panel;
    const bell = this.#bell;
    if (panel && bell) place(panel, bell);
  }

  #onMove = (event: Event): void => {
    const panel = this.#panel;
    if (panel && !event.composedPath().includes(panel)) this.#place();
  };

  #stopPlacing(): void {
    removeEventListener('resize', this.#onMove);
    removeEventListener('scroll', this.#onMove, { capture: true });
  }
}
