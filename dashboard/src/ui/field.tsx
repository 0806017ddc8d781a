import { CarillonError } from '@carillon/sdk';
import { type ComponentProps, createContext, type ReactNode, useContext, useEffect, useId } from 'react';
import { classes } from './classes.ts';
import styles from './field.module.css';
import { Icon } from './icons.tsx';

interface FieldIds {
  id: string;
  describedBy: string | undefined;
  isInvalid: boolean;
}
const FieldContext = createContext<FieldIds | null>(null);

interface FormState {
  error: unknown;
  wasSubmitted: boolean;
  /** The request fields that have a `Field`, with their number: the form does not repeat their errors. */
  names: Map<string, number>;
}
export const FormContext = createContext<FormState | null>(null);

/** A label, a control, a hint and an error, connected for screen readers. */
export function Field(props: {
  label: ReactNode;
  hint?: ReactNode;
  /** The field of the request: the server's error about it is shown here. Only in a `FormDialog`. */
  name?: string;
  /** What is wrong with the value; shown after the first submit. Only in a `FormDialog`. */
  problem?: string | null | false;
  error?: string | null | undefined;
  children: ReactNode;
  className?: string;
}) {
  const { label, hint, name, problem, children, className } = props;
  const id = useId();
  const form = useContext(FormContext);
  const names = form?.names;
  useEffect(() => {
    if (name === undefined || !names) return;
    names.set(name, (names.get(name) ?? 0) + 1);
    return () => {
      const left = (names.get(name) ?? 1) - 1;
      if (left === 0) names.delete(name);
      else names.set(name, left);
    };
  }, [name, names]);
  const refused =
    form?.error instanceof CarillonError && form.error.param === name ? form.error.message : null;
  const error = props.error || (form?.wasSubmitted && problem) || refused;
  const describedBy = classes(hint !== undefined && `${id}-hint`, error && `${id}-error`) || undefined;
  return (
    <div className={classes(styles.field, className)}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <FieldContext value={{ id, describedBy, isInvalid: Boolean(error) }}>{children}</FieldContext>
      {hint !== undefined && (
        <div id={`${id}-hint`} className={styles.hint}>
          {hint}
        </div>
      )}
      {error && (
        <div id={`${id}-error`} className={styles.error} role="alert">
          <Icon name="warning" size={14} />
          {error}
        </div>
      )}
    </div>
  );
}

/** For controls of one's own inside a Field. */
function useFieldProps() {
  const field = useContext(FieldContext);
  if (!field) return {};
  return {
    id: field.id,
    'aria-describedby': field.describedBy,
    'aria-invalid': field.isInvalid || undefined,
  };
}

export function Input({ className, mono, ...rest }: ComponentProps<'input'> & { mono?: boolean }) {
  return (
    <input
      type="text"
      autoComplete="off"
      spellCheck={false}
      {...useFieldProps()}
      {...rest}
      className={classes(styles.input, mono && styles.mono, className)}
    />
  );
}

export function Textarea({ className, mono, ...rest }: ComponentProps<'textarea'> & { mono?: boolean }) {
  return (
    <textarea
      spellCheck={!mono}
      {...useFieldProps()}
      {...rest}
      className={classes(styles.input, mono && styles.mono, className)}
    />
  );
}

/** The browser's own list: it is the one that works on every device. */
export function Select({ className, ...rest }: ComponentProps<'select'>) {
  return <select {...useFieldProps()} {...rest} className={classes(styles.input, className)} />;
}

type ChoiceProps = Omit<ComponentProps<'input'>, 'type'> & { label: ReactNode; hint?: ReactNode };

export function Checkbox({ label, hint, ...rest }: ChoiceProps) {
  return <Choice {...rest} label={label} hint={hint} type="checkbox" />;
}

export function Radio({ label, hint, ...rest }: ChoiceProps) {
  return <Choice {...rest} label={label} hint={hint} type="radio" />;
}

/** Takes effect at once, unlike a checkbox, which waits for the form. */
export function Switch({ label, hint, ...rest }: ChoiceProps) {
  return (
    <Choice {...rest} label={label} hint={hint} type="checkbox" role="switch" className={styles.switch} />
  );
}

function Choice({ label, hint, ...rest }: ComponentProps<'input'> & Pick<ChoiceProps, 'label' | 'hint'>) {
  return (
    <label className={styles.choice}>
      <input {...rest} />
      <span>
        {label}
        {hint !== undefined && <span className={styles.hint}> {hint}</span>}
      </span>
    </label>
  );
}

export function SearchInput({ label, ...rest }: ComponentProps<'input'> & { label: string }) {
  return (
    <div className={styles.search}>
      <Icon name="search" />
      <input
        type="search"
        autoComplete="off"
        spellCheck={false}
        aria-label={label}
        placeholder={label}
        {...rest}
        className={styles.input}
      />
    </div>
  );
}
