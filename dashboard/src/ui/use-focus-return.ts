import { useRef } from 'react';

/**
 * For a dialog that is opened by the state of its page: Radix returns the focus only to a trigger of its own. It goes to the
 * first field, or to the dialog itself where there is none, and afterwards back to where it was.
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
      // Unless it was taken elsewhere: to another page, for example.
      if (document.activeElement === document.body) opener.current?.focus();
    },
  };
}

/** Not the button that closes it: its label would be shown, and take the first Escape for itself. */
const fields = ['input:not([type="radio"])', 'input:checked', 'select', 'textarea']
  .map((each) => `${each}:enabled`)
  .join(', ');

/** The entry of a menu is gone by then: its button stands for it. */
function whereFrom(focused: Element | null): HTMLElement | null {
  const menu = focused?.closest('[role="menu"]');
  const origin = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : focused;
  return origin instanceof HTMLElement ? origin : null;
}
