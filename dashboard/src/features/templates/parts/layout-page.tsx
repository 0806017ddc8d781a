import type { Layout } from '@carillon/sdk';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useEnvironment } from '../../../api/environment.tsx';
import { useRead } from '../../../api/queries.ts';
import { CodeEditor } from '../../../editor/index.ts';
import { parts } from '../../../strings/parts.ts';
import { ChannelLabel, Checkbox, Loaded, Page } from '../../../ui/index.ts';
import { hasHtml } from './layout-channels.ts';
import { PartEditor } from './part-editor.tsx';
import { PartPreview } from './part-preview.tsx';
import styles from './parts.module.css';

const text = parts.layouts;

export default function LayoutPage() {
  const { key = '' } = useParams({ strict: false }) as { key?: string };
  const { kind } = useEnvironment();
  const query = useRead(['layout', key], (api, signal) => api.layouts.get(key, { signal }));
  if (query.data) return <LayoutEditor key={`${query.data.id} ${query.data.version}`} layout={query.data} />;
  return (
    <Page title={key} trail={[{ label: text.title, to: `/${kind}/layouts` }]}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}

function LayoutEditor({ layout }: { layout: Layout }) {
  const [draft, setDraft] = useState(layout);
  const { key, channel, is_default, html_template, text_template } = draft;
  const isDirty = (['is_default', 'html_template', 'text_template'] as const).some(
    (field) => draft[field] !== layout[field],
  );
  return (
    <PartEditor<Layout>
      title={key}
      description={<ChannelLabel channel={channel} />}
      version={layout.version}
      list={{ path: 'layouts', name: text.title }}
      isDirty={isDirty}
      changes={[['layouts'], ['layout', key]]}
      save={(api, version) =>
        api.layouts.put(key, { channel, is_default, html_template, text_template }, { if_match: version })
      }
      onSaved={setDraft}
      remove={(api) => api.layouts.delete(key)}
      preview={<PartPreview channel={channel} html={filled(html_template)} text={filled(text_template)} />}
    >
      <Checkbox
        label={text.isDefault}
        hint={text.isDefaultHint}
        checked={is_default}
        onChange={(event) => setDraft({ ...draft, is_default: event.target.checked })}
      />
      {hasHtml(channel) && (
        <div className={styles.field}>
          <span className={styles.label}>{text.html}</span>
          <CodeEditor
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
