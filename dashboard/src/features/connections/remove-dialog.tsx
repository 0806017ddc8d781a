import type { Client } from '@carillon/sdk';
import type { QueryKey } from '@tanstack/react-query';
import { useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { ConfirmDialog } from '../../ui/index.ts';

/** Confirms the removal of a connection; in Live, where sends would stop, the name must be typed. */
export function RemoveDialog(props: {
  title: string;
  text: string;
  confirm: string;
  word: string;
  done: string;
  remove(api: Client): Promise<unknown>;
  /** The query key of the list that contains it. */
  list: QueryKey;
  onClose(): void;
}) {
  const { title, text, confirm, word, done, list, onClose } = props;
  const { kind } = useEnvironment();
  const remove = useWrite((api) => props.remove(api), {
    changes: [list, ['overview']],
    done,
    quiet: true,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      onClose={onClose}
      title={title}
      confirm={confirm}
      onConfirm={() => remove.mutate()}
      busy={remove.isPending}
      error={remove.error}
      word={kind === 'live' ? word : undefined}
    >
      <p>{text}</p>
    </ConfirmDialog>
  );
}
