import { useState } from 'react';
import { common } from '../../strings/common.ts';
import { templates as text } from '../../strings/templates.ts';
import { Button, Field, FormDialog, Input } from '../../ui/index.ts';
import { type BodyLocation, type Content, localesOf } from './content.ts';
import styles from './templates.module.css';

/** The languages of a channel: select one, or add another. */
export function LanguageBar(props: {
  content: Content;
  place: BodyLocation;
  readOnly: boolean;
  onPlace(place: BodyLocation): void;
  onAdd(locale: string): void;
}) {
  const { content, place, readOnly, onPlace, onAdd } = props;
  const [isAdding, setAdding] = useState(false);
  const locales = localesOf(content, place.channel);
  return (
    <fieldset className={styles.languages}>
      <legend className="visually-hidden">{text.languages}</legend>
      {[null, ...locales].map((locale) => (
        <Button
          key={locale}
          size="small"
          variant="ghost"
          aria-pressed={place.locale === locale}
          title={locale ? text.languageName(locale) : undefined}
          onClick={() => onPlace({ ...place, locale })}
        >
          {locale ?? text.defaultLanguage}
        </Button>
      ))}
      {!readOnly && (
        <Button size="small" variant="ghost" icon="plus" onClick={() => setAdding(true)}>
          {text.addLanguage}
        </Button>
      )}
      {isAdding && (
        <AddLanguage
          taken={locales}
          onClose={() => setAdding(false)}
          onAdd={(locale) => {
            setAdding(false);
            onAdd(locale);
          }}
        />
      )}
    </fieldset>
  );
}

function AddLanguage(props: { taken: string[]; onAdd(locale: string): void; onClose(): void }) {
  const { taken, onAdd, onClose } = props;
  const [tag, setTag] = useState('');
  const [error, setError] = useState<string | null>(null);
  const add = () => {
    const locale = canonical(tag);
    if (!locale) setError(text.badLanguage);
    else if (taken.includes(locale)) setError(text.hasLanguage);
    else onAdd(locale);
  };
  return (
    <FormDialog
      onClose={onClose}
      title={text.addLanguageTitle}
      onSubmit={add}
      submit={common.add}
      disabled={tag.trim() === ''}
    >
      <Field label={text.languageTag} hint={text.addLanguageHint} error={error}>
        <Input
          value={tag}
          maxLength={35}
          onChange={(event) => {
            setTag(event.target.value);
            setError(null);
          }}
        />
      </Field>
    </FormDialog>
  );
}

/** Normalizes a language tag as the service does, `de_at` → `de-AT`; returns null for an invalid tag. */
function canonical(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag.trim().replaceAll('_', '-'))[0] ?? null;
  } catch {
    return null;
  }
}
