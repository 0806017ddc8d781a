import { useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import { keys } from '../../strings/settings.ts';
import { FormDialog } from '../../ui/index.ts';
import type { ApiKey, NewKey } from './new-key-dialog.tsx';
import { TimeChoice } from './time-choice.tsx';

export function RotateKeyDialog(props: { apiKey: ApiKey; onClose(): void; onMade(made: NewKey): void }) {
  const { apiKey, onClose, onMade } = props;
  const [grace, setGrace] = useState('86400');
  const rotate = useWrite((api) => api.apiKeys.rotate(apiKey.id, { grace_seconds: Number(grace) }), {
    changes: [['keys'], ['audit']],
    quiet: true,
    onDone: (made) => {
      onClose();
      onMade(made);
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={keys.rotateTitle(apiKey.name)}
      description={keys.rotateHint}
      onSubmit={() => rotate.mutate()}
      submit={keys.rotateConfirm}
      busy={rotate.isPending}
      error={rotate.error}
    >
      <TimeChoice label={keys.grace} choices={keys.graces} value={grace} onChange={setGrace} />
    </FormDialog>
  );
}
