import type { Freeze, FreezeInput } from '@carillon/sdk';
import { useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import { brake as text } from '../../strings/brake.ts';
import { channelNames, common } from '../../strings/common.ts';
import { ConfirmDialog, Field, FormDialog, Input, Select } from '../../ui/index.ts';
import { frozenName } from './names.ts';

export function FreezeDialog({ onClose }: { onClose(): void }) {
  const [channel, setChannel] = useState('');
  const [reason, setReason] = useState('');
  const freeze = useWrite(
    (api) =>
      api.brake.freeze({
        channel: (channel || null) as FreezeInput['channel'],
        reason: reason.trim() || null,
      }),
    {
      changes: [['brake']],
      done: text.frozen(frozenName(channel || null)),
      quiet: true,
      onDone: onClose,
    },
  );
  return (
    <FormDialog
      onClose={onClose}
      title={text.freezeTitle}
      description={text.freezeText}
      danger
      submit={text.freezeSubmit}
      onSubmit={() => freeze.mutate()}
      busy={freeze.isPending}
      error={freeze.error}
    >
      <Field label={text.channel} name="channel">
        <Select value={channel} onChange={(event) => setChannel(event.target.value)}>
          <option value="">{text.allChannels}</option>
          {channelNames.map((each) => (
            <option key={each} value={each}>
              {common.channel(each)}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={text.reason} hint={text.reasonHint} name="reason">
        <Input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  );
}

export function UnfreezeDialog(props: { freeze: Freeze; held: number; onClose(): void }) {
  const { freeze, held, onClose } = props;
  const unfreeze = useWrite(
    (api) => api.brake.unfreeze({ channel: freeze.channel as FreezeInput['channel'] }),
    { changes: [['brake']], done: text.unfrozen, quiet: true, onDone: onClose },
  );
  return (
    <ConfirmDialog
      onClose={onClose}
      title={text.unfreezeTitle(frozenName(freeze.channel))}
      confirm={text.unfreezeSubmit}
      onConfirm={() => unfreeze.mutate()}
      busy={unfreeze.isPending}
      error={unfreeze.error}
      danger={false}
    >
      <p>{text.unfreezeText(held)}</p>
    </ConfirmDialog>
  );
}
