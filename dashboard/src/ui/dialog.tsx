import { Dialog as Primitive } from 'radix-ui';
import type { FormEvent, ReactNode } from 'react';
import { common } from '../strings/common.ts';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';
import styles from './dialog.module.css';
import { useFocusReturn } from './use-focus-return.ts';

export interface DialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: ReactNode;
  description?: ReactNode;
  wide?: boolean;
  children?: ReactNode;
  foot?: ReactNode;
  /** Makes the body a form, submitted by Enter and by a button of type submit. */
  onSubmit?: () => void;
  /** Disables Escape and clicks outside, for content that must not be lost. */
  firm?: boolean;
}

export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, description, wide, children, foot, onSubmit, firm } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation(); // A dialog can be inside a form of the page.
    onSubmit?.();
  };
  const content = (
    <>
      {children !== undefined && <div className={styles.body}>{children}</div>}
      {foot && <div className={styles.foot}>{foot}</div>}
    </>
  );
  const keep = (event: Event) => firm && event.preventDefault();
  const focus = useFocusReturn();
  return (
    <Primitive.Root open={open} onOpenChange={onOpenChange}>
      <Primitive.Portal>
        <Primitive.Overlay className={styles.veil} />
        <Primitive.Content
          className={classes(styles.dialog, wide && styles.wide)}
          {...focus}
          onEscapeKeyDown={keep}
          onInteractOutside={keep}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
        >
          <div className={styles.head}>
            <div>
              <Primitive.Title asChild>
                <h2>{title}</h2>
              </Primitive.Title>
              {description !== undefined && (
                <Primitive.Description asChild>
                  <div className={styles.description}>{description}</div>
                </Primitive.Description>
              )}
            </div>
            {!firm && (
              <Primitive.Close asChild>
                <IconButton label={common.close} icon="close" size="small" />
              </Primitive.Close>
            )}
          </div>
          {onSubmit ? (
            <form onSubmit={submit} style={{ display: 'contents' }} noValidate>
              {content}
            </form>
          ) : (
            content
          )}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

/** A form outside a dialog that never reloads the page. */
export function Form({
  onSubmit,
  children,
  className,
}: {
  onSubmit(): void;
  children: ReactNode;
  className?: string;
}) {
  return (
    <form
      className={className}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
