import { type ComponentProps, createContext, type ReactNode, useContext, useEffect, useId } from 'react';
import { classes } from './classes.ts';
import { isErrorAbout } from './error.ts';
import styles from './field.module.css';
import { Icon } from './icons.tsx';

interface FieldIds {
  id: string;
  describedBy: string | undefined;
  isInvalid: boolean;
}
const FieldContext = createContext<FieldIds | null>(null);

/** The fields of the request that a control stands for; the server's errors about them are shown beside it. */
type FieldName = string | readonly string[] | undefined;
/** The problem of the value; in a form, shown after the first submit. */
type Problem = string | null | false | undefined;

interface FormState {
  error: unknown;
  wasSubmitted: boolean;
  /** The request fields whose errors a control shows: the form does not repeat them. */
  claims: Set<readonly string[]>;
}
export const FormContext = createContext<FormState | null>(null);

/**
 * The error of one control: its problem, in a `FormDialog` once it was submitted, or the server's error about a request
 * field that it stands for.
 */
export function useFormError(name: FieldName, problem?: Problem): string | null {
  const form = useContext(FormContext);
  const claims = form?.claims;
  const joined = [name ?? []].flat().join(' ');
  useEffect(() => {
    if (joined === '' || !claims) return;
    const names = joined.split(' ');
    claims.add(names);
    return () => {
      claims.delete(names);
    };
  }, [joined, claims]);
  if (problem && form?.wasSubmitted !== false) return problem;
  return isErrorAbout(form?.error, joined.split(' ')) ? form.error.message : null;
}

/** A label, a control, a hint and an error, connected for screen readers. */
export function Field(props: {
  label: ReactNode;
  hint?: ReactNode;
  name?: FieldName;
  problem?: Problem;
  error?: string | null | undefined;
  children: ReactNode;
  className?: string;
}) {
  const { label, hint, name, problem, children, className } = props;
  const id = useId();
  const formError = useFormError(name, problem);
  const error = props.error || formError;
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

/** The props that connect a control to its Field. */
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

/** The native list, which works on every device. */
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

/** Applies at once, unlike a checkbox, which is part of a form. */
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
