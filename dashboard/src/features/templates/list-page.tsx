import type { Template } from '@carillon/sdk';
import { useState } from 'react';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import { useList } from '../../api/queries.ts';
import { given, useFilters } from '../../shell/filters.ts';
import { SearchFilter } from '../../shell/search-filter.tsx';
import { common } from '../../strings/common.ts';
import { templates as text } from '../../strings/templates.ts';
import {
  Button,
  CodeBlock,
  type Column,
  EmptyState,
  Icon,
  ListCard,
  Page,
  Row,
  Time,
} from '../../ui/index.ts';
import { channelsOf } from './content.ts';
import { CreateDialog } from './create-dialog.tsx';
import { PartSections } from './parts/sections.tsx';
import styles from './templates.module.css';

const columns: Column<Template>[] = [
  { header: text.columns.name, cell: ({ name }) => <span dir="auto">{name}</span>, clip: true },
  { header: text.columns.key, cell: ({ key }) => <code className={styles.key}>{key}</code>, clip: true },
  { header: text.columns.channels, cell: (template) => <Channels template={template} /> },
  { header: text.columns.version, cell: ({ version }) => version, end: true },
  { header: text.columns.updated, cell: ({ updated_at }) => <Time at={updated_at} />, end: true },
];

export default function TemplatesListPage() {
  const { kind } = useEnvironment();
  const canWrite = useCan('templates:write');
  const filters = useFilters('search');
  const [isCreating, setCreating] = useState(false);
  const query = useList(
    ['templates', filters.values.search],
    (api, cursor, signal) =>
      api.templates.list({ ...given(filters.values), limit: 50, cursor }, { signal }).page(),
    { keep: true },
  );
  const create = (
    <Button
      variant="primary"
      icon="plus"
      disabled={!canWrite}
      title={canWrite ? undefined : common.viewerOnly}
      onClick={() => setCreating(true)}
    >
      {text.create}
    </Button>
  );
  return (
    <Page title={text.title} description={text.description} actions={create}>
      <PartSections />
      <Row>
        <SearchFilter label={text.search} maxLength={100} {...filters.bind('search')} />
      </Row>
      <ListCard
        query={query}
        label={text.list}
        columns={columns}
        rowKey={({ id }) => id}
        rowTo={({ key }) => `/${kind}/templates/${encodeURIComponent(key)}`}
        filters={filters}
        noMatch={{ title: text.noneFound, icon: 'search', children: text.noneFoundHint }}
        empty={<Nothing create={create} />}
      />
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

function Channels({ template }: { template: Template }) {
  const channels = channelsOf(template);
  if (channels.length === 0) return text.noChannels;
  return (
    <span className={styles.channels}>
      {channels.map((channel) => (
        <span key={channel} title={common.channel(channel)}>
          <Icon name={channel} />
          <span className="visually-hidden">{common.channel(channel)}</span>
        </span>
      ))}
    </span>
  );
}

function Nothing({ create }: { create: React.ReactNode }) {
  const example = (
    <div className={styles.curl}>
      {text.emptyCurl}
      <CodeBlock code={text.curlExample(location.origin)} label={text.curl} />
    </div>
  );
  return (
    <EmptyState
      title={text.empty}
      icon="templates"
      action={
        <>
          {create}
          {example}
        </>
      }
    >
      {text.emptyHint}
    </EmptyState>
  );
}
