import type { Layout, LayoutVersion } from '@carillon/sdk';
import { useState } from 'react';
import { useCan } from '../../../api/environment.tsx';
import { CodeEditor } from '../../../editor/index.ts';
import { parts } from '../../../strings/parts.ts';
import { ChannelLabel, Checkbox } from '../../../ui/index.ts';
import { hasHtml } from './layout-channels.ts';
import { PartEditor } from './part-editor.tsx';
import { type Opened, PartPage } from './part-page.tsx';
import { PartPreview } from './part-preview.tsx';
import styles from './parts.module.css';

const text = parts.layouts;

export default function LayoutPage() {
  return (
    <PartPage path="layouts" read={(api, key, signal) => api.layouts.get(key, { signal })}>
      {(opened) => <LayoutEditor opened={opened} />}
    </PartPage>
  );
}

function LayoutEditor({ opened }: { opened: Opened<Layout> }) {
  const { part: layout } = opened;
  const readOnly = !useCan('templates:write');
  const [draft, setDraft] = useState(layout);
  const { key, channel, is_default, html_template, text_template } = draft;
  const isDirty = (['is_default', 'html_template', 'text_template'] as const).some(
    (field) => draft[field] !== layout[field],
  );
  return (
    <PartEditor<Layout, LayoutVersion>
      path="layouts"
      part={layout}
      description={<ChannelLabel channel={channel} />}
      resource={(api) => api.layouts}
      isDirty={isDirty}
      save={(api, options) =>
        api.layouts.put(
          key,
          {
            channel,
            html_template,
            text_template,
            ...(is_default !== layout.is_default && { is_default }),
          },
          options,
        )
      }
      opened={opened}
      compare={(former) => [
        { title: text.html, language: 'html', before: former.html_template, after: layout.html_template },
        { title: text.text, language: 'text', before: former.text_template, after: layout.text_template },
      ]}
      preview={<PartPreview channel={channel} html={filled(html_template)} text={filled(text_template)} />}
    >
      <Checkbox
        label={text.isDefault}
        hint={text.isDefaultHint}
        checked={is_default}
        disabled={readOnly}
        onChange={(event) => setDraft({ ...draft, is_default: event.target.checked })}
      />
      {hasHtml(channel) && (
        <div className={styles.field}>
          <span className={styles.label}>{text.html}</span>
          <CodeEditor
            readOnly={readOnly}
            value={html_template}
            onChange={(value) => setDraft({ ...draft, html_template: value })}
            language="html"
            label={text.html}
            minHeight={280}
            maxHeight={560}
          />
        </div>
      )}
      <div className={styles.field}>
        <span className={styles.label}>{text.text}</span>
        <CodeEditor
          readOnly={readOnly}
          value={text_template}
          onChange={(value) => setDraft({ ...draft, text_template: value })}
          language="text"
          label={text.text}
          minHeight={110}
          maxHeight={360}
        />
      </div>
    </PartEditor>
  );
}

/** The layout as a template of its own, with a sample in the place of the body. */
const filled = (source: string): string => source.replace(/\{\{-?\s*content\s*-?\}\}/g, text.sample);
