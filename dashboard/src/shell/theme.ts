import { useSyncExternalStore } from 'react';
import { localStore } from './local-store.ts';

export type Theme = 'light' | 'dark' | 'system';
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function getTheme(): Theme {
  const stored = localStore.get('theme');
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function setTheme(theme: Theme): void {
  localStore.set('theme', theme);
  applyTheme();
  for (const each of listeners) each();
}

export function applyTheme(): void {
  const theme = getTheme();
  const isDark = theme === 'dark' || (theme === 'system' && system.matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}
system.addEventListener('change', applyTheme);

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, getTheme);
}
