import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icons.tsx';
import styles from './menu.module.css';

interface MenuEntry {
  label: ReactNode;
  icon?: IconName;
  onSelect?(): void;
  /** Links there instead of calling `onSelect`. */
  href?: string;
  danger?: boolean;
  disabled?: boolean;
  checked?: boolean;
}

/** `null` is a separator, a string a heading. */
export type MenuItems = (MenuEntry | string | null | false)[];

export function Menu({
  trigger,
  items,
  align = 'end',
}: {
  trigger: ReactNode;
  items: MenuItems;
  align?: 'start' | 'end';
}) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={styles.menu} align={align} sideOffset={4} collisionPadding={8}>
          {items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a menu is rendered anew each time it opens
            <Entry key={index} item={item} />
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function Entry({ item }: { item: MenuItems[number] }) {
  if (item === false) return null;
  if (item === null) return <DropdownMenu.Separator className={styles.separator} />;
  if (typeof item === 'string') {
    return <DropdownMenu.Label className={styles.label}>{item}</DropdownMenu.Label>;
  }
  const content = (
    <>
      {item.icon && <Icon name={item.icon} />}
      {item.label}
      {item.checked && (
        <span className={styles.end}>
          <Icon name="check" />
        </span>
      )}
    </>
  );
  return (
    <DropdownMenu.Item
      className={classes(styles.item, item.danger && styles.danger)}
      disabled={item.disabled ?? false}
      onSelect={() => item.onSelect?.()}
      asChild={item.href !== undefined}
    >
      {item.href === undefined ? content : <a href={item.href}>{content}</a>}
    </DropdownMenu.Item>
  );
}
