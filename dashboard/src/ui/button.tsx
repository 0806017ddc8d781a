import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import styles from './button.module.css';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icons.tsx';
import { Tooltip } from './tooltip.tsx';

interface ButtonLook {
  variant?: 'primary' | 'secondary' | 'danger' | 'ghost';
  size?: 'normal' | 'small';
  icon?: IconName;
}

interface ButtonProps extends ComponentProps<'button'>, ButtonLook {
  /** True while the action runs: the button cannot be pressed again. */
  busy?: boolean;
}

export function Button({ variant, size, icon, busy, children, className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classes(look(variant, size), className)}
      // Not `disabled`, which would move the keyboard focus away.
      {...(busy && { 'aria-disabled': true, 'aria-busy': true, onClick: (event) => event.preventDefault() })}
    >
      {busy ? <span className={styles.spinner} /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button with an icon only; its label is for screen readers and the tooltip. */
export function IconButton({
  label,
  icon,
  variant = 'ghost',
  size,
  className,
  ...rest
}: Omit<ButtonProps, 'icon' | 'children' | 'busy'> & { label: string; icon: IconName }) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        className={classes(look(variant, size), styles.square, className)}
      >
        <Icon name={icon} />
      </button>
    </Tooltip>
  );
}

function Anchor({
  variant,
  size,
  icon,
  children,
  className,
  ...rest
}: ComponentProps<'a'> & ButtonLook & { children?: ReactNode }) {
  return (
    <a {...rest} className={classes(look(variant, size), className)}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}

/** A button that links to a page of the dashboard. */
export const LinkButton = createLink(Anchor);
/** A button that links to any URL. */
export const AnchorButton = Anchor;

function look(variant: ButtonLook['variant'] = 'secondary', size: ButtonLook['size'] = 'normal'): string {
  return classes(
    styles.button,
    variant === 'primary' && styles.primary,
    variant === 'danger' && styles.danger,
    variant === 'ghost' && styles.ghost,
    size === 'small' && styles.small,
  );
}
