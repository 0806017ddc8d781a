import type { TemplatePartial } from '@carillon/sdk';
import { useState } from 'react';
import { useCan } from '../../../api/environment.tsx';
import { CodeEditor } from '../../../editor/index.ts';
import { parts } from '../../../strings/parts.ts';
import { Copyable } from '../../../ui/index.ts';
import { PartEditor } from './part-editor.tsx';
import { type Opened, PartPage } from './part-page.tsx';
import { PartPreview } from './part-preview.tsx';

const text = parts.partials;

export default function PartialPage() {
  return (
    <PartPage path="partials" read={(api, key, signal) => api.partials.get(key, { signal })}>
      {(opened) => <PartialEditor opened={opened} />}
    </PartPage>
  );
}

function PartialEditor({ opened }: { opened: Opened<TemplatePartial> }) {
  const { part: partial } = opened;
  const readOnly = !useCan('templates:write');
  const [template, setTemplate] = useState(partial.template);
  return (
    <PartEditor
      path="partials"
      part={partial}
      description={<Copyable text={text.usage(partial.key)} />}
      resource={(api) => api.partials}
      isDirty={template !== partial.template}
      save={(api, options) => api.partials.put(partial.key, { template }, options)}
      opened={opened}
      compare={(former) => [
        { title: text.template, language: 'html', before: former.template, after: partial.template },
      ]}
      preview={<PartPreview channel="email" html={template} text="" />}
    >
      <CodeEditor
        readOnly={readOnly}
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
