import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import styles from './button.module.css';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icons.tsx';
import { Tooltip } from './tooltip.tsx';

export interface ButtonLook {
  variant?: 'primary' | 'secondary' | 'danger' | 'ghost';
  size?: 'normal' | 'small';
  icon?: IconName;
}

export interface ButtonProps extends ComponentProps<'button'>, ButtonLook {
  /** It is being done: cannot be pressed again. */
  busy?: boolean;
}

export function Button({ variant, size, icon, busy, children, className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classes(look(variant, size), className)}
      // Not disabled: that would take the focus away from whoever pressed it with the keyboard.
      {...(busy && { 'aria-disabled': true, 'aria-busy': true, onClick: (event) => event.preventDefault() })}
    >
      {busy ? <span className={styles.spinner} /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button that shows only a picture; its label is read out and shown on hover. */
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

/** Goes to another page of the dashboard, and looks like a button. */
export const LinkButton = createLink(Anchor);
/** Goes somewhere else. */
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
