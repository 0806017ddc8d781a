import type { TemplatePartial } from '@carillon/sdk';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useEnvironment } from '../../../api/environment.tsx';
import { useRead } from '../../../api/queries.ts';
import { CodeEditor } from '../../../editor/index.ts';
import { parts } from '../../../strings/parts.ts';
import { Copyable, Loaded, Page } from '../../../ui/index.ts';
import { PartEditor } from './part-editor.tsx';
import { PartPreview } from './part-preview.tsx';

const text = parts.partials;

export default function PartialPage() {
  const { key = '' } = useParams({ strict: false }) as { key?: string };
  const { kind } = useEnvironment();
  const query = useRead(['partial', key], (api, signal) => api.partials.get(key, { signal }));
  if (query.data)
    return <PartialEditor key={`${query.data.id} ${query.data.version}`} partial={query.data} />;
  return (
    <Page title={key} trail={[{ label: text.title, to: `/${kind}/partials` }]}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}

function PartialEditor({ partial }: { partial: TemplatePartial }) {
  const [template, setTemplate] = useState(partial.template);
  const { key, version } = partial;
  return (
    <PartEditor<TemplatePartial>
      title={key}
      description={<Copyable text={text.usage(key)} />}
      version={version}
      list={{ path: 'partials', name: text.title }}
      isDirty={template !== partial.template}
      changes={[['partials'], ['partial', key]]}
      save={(api, current) => api.partials.put(key, { template }, { if_match: current })}
      onSaved={(saved) => setTemplate(saved.template)}
      remove={(api) => api.partials.delete(key)}
      preview={<PartPreview channel="email" html={template} text="" />}
    >
      <CodeEditor
        value={template}
        onChange={setTemplate}
        language="html"
        label={text.template}
        minHeight={280}
        maxHeight={560}
      />
    </PartEditor>
  );
}
