import { createLink } from '@tanstack/react-router';
import { Tabs as Primitive } from 'radix-ui';
import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react';
import styles from './tabs.module.css';

interface Tab {
  value: string;
  label: ReactNode;
  content: ReactNode;
}

/** Views of one page. Separate pages use TabLinks. */
export function Tabs(props: { tabs: Tab[]; value: string; onChange(value: string): void; label: string }) {
  const { tabs, value, onChange, label } = props;
  return (
    <Primitive.Root value={value} onValueChange={onChange} style={{ minWidth: 0 }}>
      <Primitive.List className={styles.list} aria-label={label}>
        {tabs.map((tab) => (
          <Primitive.Trigger key={tab.value} value={tab.value} className={styles.tab}>
            {tab.label}
          </Primitive.Trigger>
        ))}
      </Primitive.List>
      {tabs.map((tab) => (
        <Primitive.Content key={tab.value} value={tab.value} className={styles.panel}>
          {tab.content}
        </Primitive.Content>
      ))}
    </Primitive.Root>
  );
}

/** Links to related pages: `<TabLinks label="…"><TabLink to="…">…</TabLink></TabLinks>`. */
export function TabLinks({ label, children }: { label: string; children: ReactNode }) {
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    // The links can be wider than a phone.
    list.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <nav ref={list} aria-label={label} className={styles.list}>
      {children}
    </nav>
  );
}

/** The router marks the current one with aria-current. */
export const TabLink = createLink((props: ComponentProps<'a'>) => <a {...props} className={styles.tab} />);
