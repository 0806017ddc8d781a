import { useRef } from 'react';

/**
 * Manages the focus of a dialog that is opened by state: Radix returns the focus only to its own trigger. The focus
 * goes to the first field, or to the dialog when there is none, and on close back to where it was.
 */
export function useFocusReturn() {
  const opener = useRef<HTMLElement | null>(null);
  return {
    onOpenAutoFocus(event: Event) {
      event.preventDefault();
      opener.current = whereFrom(document.activeElement);
      const dialog = event.currentTarget as HTMLElement;
      (dialog.querySelector<HTMLElement>(fields) ?? dialog).focus();
    },
    onCloseAutoFocus(event: Event) {
      event.preventDefault();
      // Unless the focus has moved elsewhere, for example to another page.
      if (document.activeElement === document.body) opener.current?.focus();
    },
  };
}

/** Not the close button: its tooltip would show, and take the first Escape. */
const fields = ['input:not([type="radio"])', 'input:checked', 'select', 'textarea']
  .map((each) => `${each}:enabled`)
  .join(', ');

/** A menu entry no longer exists by then, so the button of the menu gets the focus. */
function whereFrom(focused: Element | null): HTMLElement | null {
  const menu = focused?.closest('[role="menu"]');
  const origin = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : focused;
  return origin instanceof HTMLElement ? origin : null;
}
