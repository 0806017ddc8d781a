import type { Translation } from '@carillon/sdk';
import { useEnvironment } from '../../../api/environment.tsx';
import { useRead } from '../../../api/queries.ts';
import { parts } from '../../../strings/parts.ts';
import { templates } from '../../../strings/templates.ts';
import { Badge, Card, type Column, EmptyState, Loaded, Table } from '../../../ui/index.ts';
import { CreatePart } from './create-part.tsx';
import { Matrix } from './matrix.tsx';
import { defaultColumn, versionColumns } from './parts-page.tsx';
import { PartsLayout } from './sections.tsx';

const text = parts.translations;

const columns: Column<Translation>[] = [
  {
    header: parts.columns.locale,
    cell: ({ locale }) => <span title={templates.languageName(locale)}>{locale}</span>,
  },
  defaultColumn,
  { header: parts.columns.messages, cell: ({ message_count }) => message_count, end: true },
  {
    header: parts.columns.missing,
    cell: ({ missing_count: count }) => (
      <Badge tone={count > 0 ? 'amber' : 'green'}>{count > 0 ? text.count(count) : text.complete}</Badge>
    ),
  },
  ...versionColumns,
];

/** The locales with their messages, the default first. The number of locales is limited to 50. */
export default function TranslationsPage() {
  const { kind } = useEnvironment();
  const query = useRead(['translations', 'matrix'], async (api, signal) => {
    const { data } = await api.translations.list({ limit: 100 }, { signal }).page();
    const [missing, ...all] = await Promise.all([
      api.translations.listMissing({ limit: 100 }, { signal }).page(),
      ...data.map(({ locale }) => api.translations.get(locale, { signal })),
    ]);
    const used = missing.data.filter(({ in_default }) => !in_default).map(({ key }) => key);
    const order = (one: Translation, other: Translation) =>
      Number(other.is_default) - Number(one.is_default) || (one.locale < other.locale ? -1 : 1);
    return { translations: all.sort(order), used };
  });
  return (
    <PartsLayout
      title={text.title}
      description={text.description}
      actions={
        <CreatePart
          path="translations"
          keyLabel={text.locale}
          keyHint={text.localeHint}
          create={async (api, locale, options) =>
            (await api.translations.put(locale, { messages: {} }, options)).locale
          }
        />
      }
    >
      <Loaded query={query}>
        {({ translations, used }) => (
          <>
            <Card title={text.list} flush>
              <Table
                label={text.list}
                columns={columns}
                rows={translations}
                rowKey={({ id }) => id}
                rowTo={({ locale }) => `/${kind}/translations/${locale}`}
                empty={
                  <EmptyState title={text.empty} icon="templates">
                    {text.emptyHint}
                  </EmptyState>
                }
              />
            </Card>
            {translations.length > 0 && <Matrix translations={translations} used={used} />}
          </>
        )}
      </Loaded>
    </PartsLayout>
  );
}
