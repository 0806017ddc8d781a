import type { Translation } from '@carillon/sdk';
import { useState } from 'react';
import { useCan } from '../../../api/environment.tsx';
import { CodeEditor } from '../../../editor/index.ts';
import { parts } from '../../../strings/parts.ts';
import { templates } from '../../../strings/templates.ts';
import { Checkbox } from '../../../ui/index.ts';
import type { Messages } from './messages.ts';
import { PartEditor } from './part-editor.tsx';
import { type Opened, PartPage } from './part-page.tsx';

const text = parts.translations;

export default function TranslationPage() {
  return (
    <PartPage path="translations" read={(api, locale, signal) => api.translations.get(locale, { signal })}>
      {(opened) => <TranslationEditor opened={opened} />}
    </PartPage>
  );
}

const shown = (messages: Messages): string => JSON.stringify(messages, null, 2);

function TranslationEditor({ opened }: { opened: Opened<Translation> }) {
  const { part: translation } = opened;
  const readOnly = !useCan('templates:write');
  const { id, locale, version } = translation;
  const [json, setJson] = useState(() => shown(translation.messages));
  const [isDefault, setDefault] = useState(translation.is_default);
  const messages = parsed(json);
  return (
    <PartEditor
      path="translations"
      part={{ id, key: locale, version }}
      description={templates.languageName(locale)}
      resource={(api) => api.translations}
      isDirty={json !== shown(translation.messages) || isDefault !== translation.is_default}
      problem={messages === null ? text.notJson : null}
      save={(api, options) =>
        api.translations.put(
          locale,
          {
            messages: messages ?? {},
            ...(isDefault !== translation.is_default && { is_default: isDefault }),
          },
          options,
        )
      }
      opened={opened}
      compare={(former) => [
        {
          title: text.messages,
          language: 'json',
          before: shown(former.messages),
          after: shown(translation.messages),
        },
      ]}
    >
      <Checkbox
        label={text.makeDefault}
        checked={isDefault}
        disabled={readOnly || translation.is_default}
        onChange={(event) => setDefault(event.target.checked)}
      />
      <CodeEditor
        readOnly={readOnly}
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
