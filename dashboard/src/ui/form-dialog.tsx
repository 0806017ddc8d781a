import { type ReactNode, useRef, useState } from 'react';
import { common } from '../strings/common.ts';
import { Button } from './button.tsx';
import { Dialog, type DialogProps } from './dialog.tsx';
import { Field, FormContext, Input } from './field.tsx';
import { FormError } from './form-error.tsx';
import type { IconName } from './icons.tsx';

interface BaseProps {
  /** True unless the parent keeps the closed dialog mounted. */
  open?: boolean;
  onClose(): void;
  busy?: boolean;
  danger?: boolean;
  /** The error of the request, shown above the fields unless a `Field` with its `name` shows it. */
  error?: unknown;
}

type FormDialogProps = BaseProps &
  Pick<DialogProps, 'title' | 'description' | 'wide' | 'firm' | 'children'> & {
    /** The labels of the two buttons. */
    submit: ReactNode;
    cancel?: string;
    icon?: IconName;
    onSubmit(): void;
    disabled?: boolean;
    /** True while a field has a problem: a submit then shows the problems and does not call `onSubmit`. */
    invalid?: boolean;
    /** Names the fields where they can change: the problems of others are not shown before their own submit. */
    variant?: string;
    /** Buttons between Cancel and the submit button. */
    actions?: ReactNode;
  };

/** A dialog with a form: Cancel, a submit button with its busy state, and the errors of the fields and of the request. */
export function FormDialog(props: FormDialogProps) {
  const { open = true, onClose, busy = false, danger, error, ...form } = props;
  const {
    submit,
    cancel = common.cancel,
    icon,
    onSubmit,
    disabled = false,
    invalid,
    variant = '',
    actions,
    ...dialog
  } = form;
  const [submitted, setSubmitted] = useState<string | null>(null);
  const claims = useRef(new Set<readonly string[]>()).current;
  const close = () => {
    setSubmitted(null);
    onClose();
  };
  return (
    <Dialog
      {...dialog}
      open={open}
      onOpenChange={close}
      onSubmit={() => {
        setSubmitted(variant);
        if (!invalid && !disabled) onSubmit();
      }}
      foot={
        <>
          <Button onClick={close}>{cancel}</Button>
          {actions}
          <Button
            type="submit"
            variant={danger ? 'danger' : 'primary'}
            busy={busy}
            disabled={disabled}
            {...(icon ? { icon } : {})}
          >
            {submit}
          </Button>
        </>
      }
    >
      <FormContext value={{ error, wasSubmitted: submitted === variant, claims }}>
        <FormError error={error} besides={[...claims].flat()} />
        {dialog.children}
      </FormContext>
    </Dialog>
  );
}

/** Asks for confirmation; with `word`, the word must be typed. */
export function ConfirmDialog(
  props: BaseProps & {
    title: string;
    children: ReactNode;
    confirm: string;
    /** The label of the other button, where “Cancel” would be ambiguous. */
    cancel?: string;
    onConfirm(): void;
    word?: string | undefined;
  },
) {
  const { children, confirm, onConfirm, onClose, danger = true, word, ...rest } = props;
  const [typed, setTyped] = useState('');
  return (
    <FormDialog
      {...rest}
      onClose={() => {
        setTyped('');
        onClose();
      }}
      danger={danger}
      submit={confirm}
      onSubmit={onConfirm}
      disabled={word !== undefined && typed !== word}
    >
      <div>{children}</div>
      {word !== undefined && (
        <Field label={common.typeToConfirm(word)}>
          <Input value={typed} onChange={(event) => setTyped(event.target.value)} />
        </Field>
      )}
    </FormDialog>
  );
}
