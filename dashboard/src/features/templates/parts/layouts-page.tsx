import type { Layout } from '@carillon/sdk';
import { useState } from 'react';
import { parts } from '../../../strings/parts.ts';
import { ChannelLabel, Field, Select } from '../../../ui/index.ts';
import { CreatePart } from './create-part.tsx';
import { type LayoutChannel, layoutChannels } from './layout-channels.ts';
import { defaultColumn, PartsPage } from './parts-page.tsx';

const text = parts.layouts;

export default function LayoutsPage() {
  return (
    <PartsPage<Layout>
      path="layouts"
      list={(api) => api.layouts.list}
      columns={[
        { header: parts.columns.channel, cell: ({ channel }) => <ChannelLabel channel={channel} /> },
        defaultColumn,
      ]}
      create={<CreateLayout />}
    />
  );
}

function CreateLayout() {
  const [channel, setChannel] = useState<LayoutChannel>('email');
  return (
    <CreatePart
      path="layouts"
      create={async (api, key, options) => {
        const starter = {
          channel,
          html_template: channel === 'email' || channel === 'in_app' ? text.starterHtml : '',
          text_template: text.starterText,
        };
        return (await api.layouts.put(key, starter, options)).key;
      }}
    >
      <Field label={text.channel}>
        <Select value={channel} onChange={(event) => setChannel(event.target.value as LayoutChannel)}>
          {layoutChannels.map((each) => (
            <option key={each} value={each}>
              {parts.channelName(each)}
            </option>
          ))}
        </Select>
      </Field>
    </CreatePart>
  );
}
