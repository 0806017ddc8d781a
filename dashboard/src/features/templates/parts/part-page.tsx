import type { Client } from '@carillon/sdk';
import { useParams } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect, useState } from 'react';
import { useEnvironment } from '../../../api/environment.tsx';
import { useRead } from '../../../api/queries.ts';
import { parts } from '../../../strings/parts.ts';
import { Loaded, Page } from '../../../ui/index.ts';
import type { PartPath } from './sections.tsx';

/** The version of a part that is edited. */
export interface Opened<Part> {
  part: Part;
  /** Continues with a version that was saved or restored here. */
  adopt(saved: Part): void;
  onDirty(isDirty: boolean): void;
}

/** Loads the part that the URL names. */
export function PartPage<Part extends { id: string; version: number }>(props: {
  path: PartPath;
  read(api: Client, key: string, signal: AbortSignal): Promise<Part>;
  children(opened: Opened<Part>): ReactNode;
}) {
  const { path, read, children } = props;
  const { key = '' } = useParams({ strict: false }) as { key?: string };
  const { kind } = useEnvironment();
  const query = useRead([path, 'one', key], (api, signal) => read(api, key, signal));
  const part = query.data;
  if (part)
    return (
      <OpenedPart key={part.id} current={part}>
        {children}
      </OpenedPart>
    );
  return (
    <Page title={key} trail={[{ label: parts[path].title, to: `/${kind}/${path}` }]}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}

/** A version that is saved elsewhere does not replace unsaved changes: their save finds the conflict. */
function OpenedPart<Part extends { id: string; version: number }>(props: {
  current: Part;
  children(opened: Opened<Part>): ReactNode;
}) {
  const { current, children } = props;
  const [opened, setOpened] = useState({ part: current, count: 0 });
  const [isDirty, setDirty] = useState(false);
  const adopt = (part: Part) => setOpened(({ count }) => ({ part, count: count + 1 }));
  useEffect(() => {
    if (isDirty) return;
    setOpened((before) =>
      current.version > before.part.version ? { part: current, count: before.count + 1 } : before,
    );
  }, [current, isDirty]);
  return <Fragment key={opened.count}>{children({ part: opened.part, adopt, onDirty: setDirty })}</Fragment>;
}
