import type { Client } from '@carillon/sdk';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useCan, useEnvironment } from '../../../api/environment.tsx';
import { useWrite } from '../../../api/queries.ts';
import { UnsavedGuard } from '../../../shell/unsaved.tsx';
import { common } from '../../../strings/common.ts';
import { parts as text } from '../../../strings/parts.ts';
import { Badge, Button, ConfirmDialog, describeError, Notice, Page } from '../../../ui/index.ts';
import styles from './parts.module.css';

interface PartEditorProps<Saved extends { version: number }> {
  title: string;
  description: ReactNode;
  version: number;
  /** The path of the list below the environment, and its name. */
  list: { path: string; name: string };
  isDirty: boolean;
  changes: string[][];
  save: (api: Client, version: number) => Promise<Saved>;
  onSaved: (saved: NoInfer<Saved>) => void;
  remove: (api: Client) => Promise<unknown>;
  /** Why the draft cannot be saved. */
  problem?: string | null;
  preview?: ReactNode;
  children: ReactNode;
}

/** The page of a layout, a partial or a locale: its fields on the left, their preview on the right. */
export function PartEditor<Saved extends { version: number }>(props: PartEditorProps<Saved>) {
  const { title, description, version, list, isDirty, changes, problem = null, preview, children } = props;
  const { kind } = useEnvironment();
  const canWrite = useCan('templates:write');
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const save = useWrite((api) => props.save(api, version), {
    quiet: true,
    changes,
    done: (saved) => text.saved(saved.version),
    onDone: props.onSaved,
  });
  const remove = useWrite((api) => props.remove(api), {
    quiet: true,
    changes,
    done: text.deleted,
    onDone: () => void navigate({ to: `/${kind}/${list.path}`, ignoreBlocker: true }),
  });
  return (
    <Page
      full
      title={title}
      trail={[{ label: list.name, to: `/${kind}/${list.path}` }]}
      description={description}
      aside={
        <>
          <Badge>{text.version(version)}</Badge>
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
      <div className={preview ? styles.split : styles.write}>
        <div className={styles.write}>
          {children}
          <p className={styles.hint}>{text.follows}</p>
        </div>
        {preview && <div className={styles.preview}>{preview}</div>}
      </div>
      {isDeleting && (
        <ConfirmDialog
          onClose={() => setDeleting(false)}
          title={text.deleteTitle(title)}
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
