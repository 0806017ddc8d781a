import type { Translation } from '@carillon/sdk';
import { useMemo, useState } from 'react';
import { useCan } from '../../../api/environment.tsx';
import { useWrite } from '../../../api/queries.ts';
import { common } from '../../../strings/common.ts';
import { parts } from '../../../strings/parts.ts';
import { Card, Checkbox, classes, Field, FormDialog, Row, SearchInput, Textarea } from '../../../ui/index.ts';
import { type CatalogueView, flatten, lookUp, obstacleTo, withMessage } from './messages.ts';
import styles from './parts.module.css';

const text = parts.translations;
/** Rows that are shown at once; a search finds the others. */
const mostRows = 200;

/** Every key in every locale, with what is missing. */
export function Matrix({ translations, used }: { translations: Translation[]; used: string[] }) {
  const [search, setSearch] = useState('');
  const [onlyMissing, setOnlyMissing] = useState(false);
  const [edited, setEdited] = useState<{ translation: Translation; name: string } | null>(null);
  const catalogues = useMemo<CatalogueView[]>(
    () =>
      translations.map(({ locale, is_default, messages }) => ({
        locale,
        is_default,
        messages: flatten(messages),
      })),
    [translations],
  );
  const byDefault = catalogues.find((each) => each.is_default);
  const wanted = search.trim().toLowerCase();
  const keys = [...new Set([...catalogues.flatMap(({ messages }) => [...messages.keys()]), ...used])]
    .sort()
    .filter((key) => !onlyMissing || catalogues.some(({ locale }) => !lookUp(catalogues, locale, key)))
    .filter(
      (key) =>
        wanted === '' ||
        key.toLowerCase().includes(wanted) ||
        catalogues.some(({ messages }) => messages.get(key)?.toLowerCase().includes(wanted)),
    );
  return (
    <Card title={text.matrix}>
      <Row>
        <SearchInput label={text.search} value={search} onChange={(event) => setSearch(event.target.value)} />
        <Checkbox
          label={text.onlyMissing}
          checked={onlyMissing}
          onChange={(event) => setOnlyMissing(event.target.checked)}
        />
      </Row>
      <p className={styles.hint}>{text.matrixHint}</p>
      <div className={styles.matrix}>
        <table aria-label={text.matrix}>
          <thead>
            <tr>
              <th scope="col">{text.matrixKey}</th>
              {catalogues.map(({ locale }) => (
                <th key={locale} scope="col">
                  {locale}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {keys.slice(0, mostRows).map((key) => (
              <tr key={key}>
                <th scope="row">{key}</th>
                {translations.map((translation) => (
                  <td key={translation.locale}>
                    <Cell
                      catalogues={catalogues}
                      locale={translation.locale}
                      name={key}
                      onEdit={() => setEdited({ translation, name: key })}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {keys.length === 0 && <p className={styles.hint}>{text.noKeys}</p>}
      {keys.length > mostRows && <p className={styles.hint}>{text.more(keys.length - mostRows)}</p>}
      {edited && (
        <EditMessage
          key={`${edited.translation.locale} ${edited.name}`}
          {...edited}
          source={byDefault?.messages.get(edited.name) ?? null}
          onClose={() => setEdited(null)}
        />
      )}
    </Card>
  );
}

function Cell(props: { catalogues: CatalogueView[]; locale: string; name: string; onEdit(): void }) {
  const { catalogues, locale, name, onEdit } = props;
  const canWrite = useCan('templates:write');
  const found = lookUp(catalogues, locale, name);
  const isInherited = found !== null && found.from !== locale;
  return (
    <button
      type="button"
      dir="auto"
      className={classes(styles.cell, !found && styles.missing, isInherited && styles.inherited)}
      disabled={!canWrite}
      aria-label={found ? text.cell(found.text, name, locale) : text.missingIn(name, locale)}
      title={isInherited ? text.inherited(found.from) : found?.text}
      onClick={onEdit}
    >
      {found?.text ?? text.missing}
    </button>
  );
}

function EditMessage(props: {
  translation: Translation;
  name: string;
  source: string | null;
  onClose(): void;
}) {
  const { translation, name, source, onClose } = props;
  const { locale, version, messages } = translation;
  const [shown, setShown] = useState(() => flatten(messages).get(name) ?? '');
  const obstacle = obstacleTo(messages, name);
  const save = useWrite(
    (api) =>
      api.translations.put(locale, { messages: withMessage(messages, name, shown) }, { if_match: version }),
    {
      quiet: true,
      changes: [['translations']],
      done: (saved) => parts.saved(saved.version),
      onDone: onClose,
    },
  );
  return (
    <FormDialog
      onClose={onClose}
      title={text.edit(name, locale)}
      onSubmit={() => save.mutate()}
      submit={common.save}
      busy={save.isPending}
      disabled={obstacle !== null}
      error={save.error}
    >
      <Field
        label={text.message}
        hint={text.messageHint(source)}
        error={obstacle && text.obstacle(obstacle)}
        name="messages"
      >
        <Textarea dir="auto" rows={4} value={shown} onChange={(event) => setShown(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
