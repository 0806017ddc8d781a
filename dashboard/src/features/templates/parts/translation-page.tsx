import type { Translation } from '@carillon/sdk';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useEnvironment } from '../../../api/environment.tsx';
import { useRead } from '../../../api/queries.ts';
import { CodeEditor } from '../../../editor/index.ts';
import { parts } from '../../../strings/parts.ts';
import { templates } from '../../../strings/templates.ts';
import { Checkbox, Loaded, Page } from '../../../ui/index.ts';
import type { Messages } from './messages.ts';
import { PartEditor } from './part-editor.tsx';

const text = parts.translations;

export default function TranslationPage() {
  const { locale = '' } = useParams({ strict: false }) as { locale?: string };
  const { kind } = useEnvironment();
  const query = useRead(['translation', locale], (api, signal) => api.translations.get(locale, { signal }));
  if (query.data) {
    const { id, version } = query.data;
    return <TranslationEditor key={`${id} ${version}`} translation={query.data} />;
  }
  return (
    <Page title={locale} trail={[{ label: text.title, to: `/${kind}/translations` }]}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}

const shown = (messages: Messages): string => JSON.stringify(messages, null, 2);

function TranslationEditor({ translation }: { translation: Translation }) {
  const { locale, version } = translation;
  const [json, setJson] = useState(() => shown(translation.messages));
  const [isDefault, setDefault] = useState(translation.is_default);
  const messages = parsed(json);
  return (
    <PartEditor<Translation>
      title={locale}
      description={templates.languageName(locale)}
      version={version}
      list={{ path: 'translations', name: text.title }}
      isDirty={json !== shown(translation.messages) || isDefault !== translation.is_default}
      problem={messages === null ? text.notJson : null}
      changes={[['translations'], ['translation', locale]]}
      save={(api, current) =>
        api.translations.put(
          locale,
          { messages: messages ?? {}, is_default: isDefault },
          { if_match: current },
        )
      }
      onSaved={(saved) => {
        setJson(shown(saved.messages));
        setDefault(saved.is_default);
      }}
      remove={(api) => api.translations.delete(locale)}
    >
      <Checkbox
        label={text.makeDefault}
        checked={isDefault}
        disabled={translation.is_default}
        onChange={(event) => setDefault(event.target.checked)}
      />
      <CodeEditor
        value={json}
        onChange={setJson}
        language="json"
        label={text.messages}
        minHeight={360}
        maxHeight={720}
      />
    </PartEditor>
  );
}

function parsed(json: string): Messages | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Messages) : null;
  } catch {
    return null;
  }
}
