import { Dialog as Primitive } from 'radix-ui';
import { type FormEvent, type ReactNode, useState } from 'react';
import { common } from '../strings/common.ts';
import { Button, IconButton } from './button.tsx';
import { classes } from './classes.ts';
import styles from './dialog.module.css';
import { Field, Input } from './field.tsx';
import { useFocusReturn } from './use-focus-return.ts';

export interface DialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: ReactNode;
  description?: ReactNode;
  wide?: boolean;
  children?: ReactNode;
  /** Buttons. */
  foot?: ReactNode;
  /** The body is a form; submitted by Enter and by a button of type submit. */
  onSubmit?: () => void;
  /** Neither Escape nor a click beside it closes it: for what must not be lost. */
  firm?: boolean;
}

export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, description, wide, children, foot, onSubmit, firm } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation(); // a dialog may stand inside a form of the page
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

/** Asks before something that cannot be undone; with `word`, that has to be typed. */
export function ConfirmDialog(props: {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: string;
  children: ReactNode;
  confirm: string;
  onConfirm(): void;
  busy?: boolean;
  danger?: boolean;
  word?: string;
}) {
  const { open, onOpenChange, title, children, confirm, onConfirm, busy, danger = true, word } = props;
  const [typed, setTyped] = useState('');
  const isSure = word === undefined || typed === word;
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        setTyped('');
        onOpenChange(next);
      }}
      title={title}
      onSubmit={() => isSure && onConfirm()}
      foot={
        <>
          <Button onClick={() => onOpenChange(false)}>{common.cancel}</Button>
          <Button
            type="submit"
            variant={danger ? 'danger' : 'primary'}
            busy={busy ?? false}
            disabled={!isSure}
          >
            {confirm}
          </Button>
        </>
      }
    >
      <div>{children}</div>
      {word !== undefined && (
        <Field label={common.typeToConfirm(word)}>
          <Input value={typed} onChange={(event) => setTyped(event.target.value)} />
        </Field>
      )}
    </Dialog>
  );
}

/** For a form outside a dialog: nothing reloads the page. */
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
