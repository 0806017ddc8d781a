import type { Hold } from '@carillon/sdk';
import { useState } from 'react';
import { useRead, useWrite } from '../../api/queries.ts';
import { brake as text } from '../../strings/brake.ts';
import { common } from '../../strings/common.ts';
import { Field, FormDialog, Input, Loaded, Stack } from '../../ui/index.ts';

interface ReleaseDialogProps {
  hold: Hold;
  action: 'release' | 'cancel';
  onClose(): void;
}

/** Shows how many, to whom and what they say before anything happens. */
export function ReleaseDialog({ hold: { hold }, action, onClose }: ReleaseDialogProps) {
  const [limit, setLimit] = useState('');
  const preview = useRead(['brake', 'preview', hold], (api, signal) =>
    api.brake.previewHold(hold, { signal }),
  );
  const number = limit.trim() === '' ? null : Number(limit);
  const isWrong = number !== null && !(Number.isInteger(number) && number >= 1);
  const start = useWrite(
    (api) => api.brake.releaseHold(hold, { action, ...(number !== null && { limit: number }) }),
    {
      changes: [['brake']],
      done: action === 'release' ? text.released : text.cancelled,
      quiet: true,
      onDone: onClose,
    },
  );
  return (
    <FormDialog
      onClose={onClose}
      title={action === 'release' ? text.releaseTitle : text.cancelTitle}
      description={action === 'release' ? text.releaseText : text.cancelText}
      danger={action === 'cancel'}
      invalid={isWrong}
      submit={action === 'release' ? text.releaseSubmit : text.cancelSubmit}
      onSubmit={() => start.mutate()}
      busy={start.isPending}
      error={start.error}
    >
      <Loaded query={preview}>
        {({ count, recipients, samples }) => (
          <Stack>
            <p>
              <strong>{text.preview(count, recipients)}</strong>
            </p>
            <div>
              <p>{text.samples}</p>
              <ul>
                {samples.map(({ notification_id, channel, address, subject, text: message, error }) => (
                  <li key={notification_id}>
                    {common.channel(channel)} · <bdi>{address}</bdi> ·{' '}
                    {error ?? subject ?? message ?? text.noText}
                  </li>
                ))}
              </ul>
            </div>
          </Stack>
        )}
      </Loaded>
      <Field label={text.limit} hint={text.limitHint} name="limit" problem={isWrong && text.limitWrong}>
        <Input inputMode="numeric" value={limit} onChange={(event) => setLimit(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
