import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useEnvironment } from '../api/environment.tsx';
import { shell } from '../strings/shell.ts';
import { Dialog, Kbd, Pairs } from '../ui/index.ts';
import { areas } from './areas.ts';

/** Not 0, which is when the page was opened: a key within the first second would count as typed after `g`. */
const longAgo = Number.NEGATIVE_INFINITY;

/** The keyboard shortcuts of every page, and their list. */
export function Shortcuts(props: { open: boolean; onOpenChange(open: boolean): void; onFind(): void }) {
  const { open, onOpenChange, onFind } = props;
  const { kind } = useEnvironment();
  const navigate = useNavigate();
  const afterG = useRef(longAgo);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onFind();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (performance.now() - afterG.current < 1000) {
        afterG.current = longAgo;
        const area = areas.find((each) => each.key === event.key);
        if (area) void navigate({ to: `/${kind}${area.path}` });
        return;
      }
      if (event.key === 'g') afterG.current = performance.now();
      if (event.key === '?') onOpenChange(true);
      if (event.key === '/') focusSearch(event);
      if (event.key === 'j' || event.key === 'k') moveRow(event.key === 'j' ? 1 : -1);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [kind, navigate, onFind, onOpenChange]);

  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={shell.shortcuts}>
      <Pairs pairs={shell.shortcutsList.map(([keys, meaning]) => [<Kbd key={keys}>{keys}</Kbd>, meaning])} />
    </Dialog>
  );
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.closest('input, textarea, select, [role="dialog"], [role="menu"]') !== null
  );
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLElement>('main input[type="search"]');
  if (!field) return;
  event.preventDefault();
  field.focus();
}

/** Moves between the rows of the first table, by the link in their first cell. */
function moveRow(step: number): void {
  const links = [...document.querySelectorAll<HTMLElement>('main tr[data-row] td:first-child a')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? (step > 0 ? 0 : links.length - 1) : at + step;
  links[next]?.focus();
}
