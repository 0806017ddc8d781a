import type { Client } from '@carillon/sdk';
import { useParams } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { useEnvironment } from '../../../api/environment.tsx';
import { useRead } from '../../../api/queries.ts';
import { parts } from '../../../strings/parts.ts';
import { Loaded, Page } from '../../../ui/index.ts';
import type { PartPath } from './sections.tsx';

/** Loads the part that the URL names. A version that is saved elsewhere mounts its editor again. */
export function PartPage<Part extends { id: string; version: number }>(props: {
  path: PartPath;
  read(api: Client, key: string, signal: AbortSignal): Promise<Part>;
  children(part: Part): ReactNode;
}) {
  const { path, read, children } = props;
  const { key = '' } = useParams({ strict: false }) as { key?: string };
  const { kind } = useEnvironment();
  const query = useRead([path, 'one', key], (api, signal) => read(api, key, signal));
  const part = query.data;
  if (part) return <Fragment key={`${part.id} ${part.version}`}>{children(part)}</Fragment>;
  return (
    <Page title={key} trail={[{ label: parts[path].title, to: `/${kind}/${path}` }]}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}
