import type { Layout } from '@carillon/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useEnvironment } from '../../../api/environment.tsx';
import { useList, useWrite } from '../../../api/queries.ts';
import { given, useFilters } from '../../../shell/filters.ts';
import { SearchFilter } from '../../../shell/search-filter.tsx';
import { parts } from '../../../strings/parts.ts';
import {
  Badge,
  ChannelLabel,
  type Column,
  EmptyState,
  Field,
  ListCard,
  Select,
  Time,
} from '../../../ui/index.ts';
import { CreatePart } from './create-part.tsx';
import { type LayoutChannel, layoutChannels } from './layout-channels.ts';
import { PartsLayout } from './sections.tsx';

const text = parts.layouts;

const columns: Column<Layout>[] = [
  { header: parts.columns.key, cell: ({ key }) => <code>{key}</code>, clip: true },
  { header: parts.columns.channel, cell: ({ channel }) => <ChannelLabel channel={channel} /> },
  { header: parts.columns.isDefault, cell: ({ is_default }) => is_default && <Badge>{parts.default}</Badge> },
  { header: parts.columns.version, cell: ({ version }) => version, end: true },
  { header: parts.columns.updated, cell: ({ updated_at }) => <Time at={updated_at} />, end: true },
];

export default function LayoutsPage() {
  const { kind } = useEnvironment();
  const navigate = useNavigate();
  const filters = useFilters('search');
  const [channel, setChannel] = useState<LayoutChannel>('email');
  const query = useList(
    ['layouts', filters.values.search],
    (api, cursor, signal) =>
      api.layouts.list({ ...given(filters.values), limit: 50, cursor }, { signal }).page(),
    { keep: true },
  );
  const create = useWrite(
    (api, key: string) =>
      api.layouts.put(key, {
        channel,
        html_template: channel === 'email' || channel === 'in_app' ? text.starterHtml : '',
        text_template: text.starterText,
      }),
    {
      changes: [['layouts']],
      quiet: true,
      onDone: ({ key }) => void navigate({ to: `/${kind}/layouts/${encodeURIComponent(key)}` }),
    },
  );
  const button = (
    <CreatePart
      label={text.create}
      error={create.error}
      isPending={create.isPending}
      onCreate={(key) => create.mutate(key)}
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
  return (
    <PartsLayout title={text.title} description={text.description} actions={button}>
      <ListCard
        bar={<SearchFilter label={text.search} maxLength={100} {...filters.bind('search')} />}
        query={query}
        label={text.title}
        columns={columns}
        rowKey={({ id }) => id}
        rowTo={({ key }) => `/${kind}/layouts/${encodeURIComponent(key)}`}
        filters={filters}
        noMatch={{ title: text.noneFound, icon: 'search' }}
        empty={
          <EmptyState title={text.empty} icon="templates">
            {text.emptyHint}
          </EmptyState>
        }
      />
    </PartsLayout>
  );
}
