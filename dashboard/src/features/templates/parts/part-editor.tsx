import type { Client } from '@carillon/sdk';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useCan, useEnvironment } from '../../../api/environment.tsx';
import { useWrite } from '../../../api/queries.ts';
import { useFilters } from '../../../shell/filters.ts';
import { UnsavedGuard } from '../../../shell/unsaved.tsx';
import { common } from '../../../strings/common.ts';
import { parts as text } from '../../../strings/parts.ts';
import { Badge, Button, ConfirmDialog, describeError, Notice, Page, Tabs } from '../../../ui/index.ts';
import type { TextChange } from '../changes.tsx';
import { type VersionedResource, Versions } from '../versions.tsx';
import type { Opened } from './part-page.tsx';
import styles from './parts.module.css';
import type { PartPath } from './sections.tsx';

interface PartEditorProps<Saved extends { version: number }, Former> {
  path: PartPath;
  part: { id: string; key: string; version: number };
  description: ReactNode;
  resource(api: Client): VersionedResource<Saved, Former> & { delete(key: string): Promise<unknown> };
  isDirty: boolean;
  save(api: Client, options: { if_match: number }): Promise<Saved>;
  opened: Pick<Opened<NoInfer<Saved>>, 'adopt' | 'onDirty'>;
  /** Compares a former version with the current one. */
  compare(former: NoInfer<Former>): TextChange[];
  /** Why the draft cannot be saved. */
  problem?: string | null;
  preview?: ReactNode;
  children: ReactNode;
}

/** The page of a layout, a partial or a locale: its fields beside their preview, and its versions. */
export function PartEditor<Saved extends { version: number }, Former>(props: PartEditorProps<Saved, Former>) {
  const { path, part, description, resource, isDirty, problem = null, preview, children } = props;
  const { adopt, onDirty } = props.opened;
  const { kind } = useEnvironment();
  const canWrite = useCan('templates:write');
  const navigate = useNavigate();
  const filters = useFilters('tab', 'version');
  const [isDeleting, setDeleting] = useState(false);
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);
  const changes = [[path]];
  const save = useWrite((api) => props.save(api, { if_match: part.version }), {
    quiet: true,
    changes,
    done: (saved) => text.saved(saved.version),
    onDone: adopt,
  });
  const remove = useWrite((api) => resource(api).delete(part.key), {
    quiet: true,
    changes,
    done: text.deleted,
    onDone: () => void navigate({ to: `/${kind}/${path}`, ignoreBlocker: true }),
  });
  return (
    <Page
      full
      title={part.key}
      trail={[{ label: text[path].title, to: `/${kind}/${path}` }]}
      description={description}
      aside={
        <>
          <Badge>{text.version(part.version)}</Badge>
          {isDirty && (
            <Badge tone="amber" shape="hollow">
              {text.unsaved}
            </Badge>
          )}
        </>
      }
      actions={
        canWrite && (
          <>
            <Button variant="ghost" icon="trash" onClick={() => setDeleting(true)}>
              {text.delete}
            </Button>
            <Button
              variant="primary"
              busy={save.isPending}
              disabled={!isDirty || problem !== null}
              onClick={() => save.mutate()}
            >
              {text.save}
            </Button>
          </>
        )
      }
    >
      {!canWrite && <Notice>{common.viewerOnly}</Notice>}
      {problem !== null && <Notice tone="amber">{problem}</Notice>}
      {save.error !== null && <Notice tone="red">{describeError(save.error).text}</Notice>}
      <Tabs
        label={text.views}
        value={filters.values.tab === 'history' ? 'history' : 'content'}
        onChange={(tab) => filters.set({ tab: tab === 'history' ? tab : '', version: '' })}
        tabs={[
          {
            value: 'content',
            label: text.content,
            content: (
              <div className={preview ? styles.split : styles.write}>
                <div className={styles.write}>
                  {children}
                  <p className={styles.hint}>{text.follows}</p>
                </div>
                {preview && <div className={styles.preview}>{preview}</div>}
              </div>
            ),
          },
          {
            value: 'history',
            label: text.history,
            content: (
              <Versions
                current={part}
                resource={resource}
                compare={props.compare}
                isDirty={isDirty}
                changes={changes}
                onRestored={adopt}
              />
            ),
          },
        ]}
      />
      {isDeleting && (
        <ConfirmDialog
          onClose={() => setDeleting(false)}
          title={text.deleteTitle(part.key)}
          confirm={text.delete}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
        >
          <p>{text.deleteText}</p>
        </ConfirmDialog>
      )}
      <UnsavedGuard when={isDirty} />
    </Page>
  );
}
