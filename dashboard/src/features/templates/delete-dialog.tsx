import type { Template } from '@carillon/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { templates } from '../../strings/templates.ts';
import { ConfirmDialog } from '../../ui/index.ts';

const text = templates.deletion;

export function DeleteDialog(props: { template: Template; onDeleted(): void; onClose(): void }) {
  const { template, onDeleted, onClose } = props;
  const { kind } = useEnvironment();
  const navigate = useNavigate();
  const remove = useWrite((api) => api.templates.delete(template.key), {
    quiet: true,
    changes: [['templates']],
    done: text.done,
    onDone: () => {
      onDeleted();
      void navigate({ to: `/${kind}/templates`, ignoreBlocker: true });
    },
  });
  return (
    <ConfirmDialog
      onClose={onClose}
      title={text.title(template.name)}
      confirm={text.confirm}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      {...(kind === 'live' ? { word: template.key } : {})}
    >
      <p>{text.text}</p>
    </ConfirmDialog>
  );
}
