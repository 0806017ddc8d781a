import type { Suppression } from '@carillon/sdk';
import { useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import { suppressions } from '../../strings/suppressions.ts';
import { Field, FormDialog, Input, Select } from '../../ui/index.ts';
import { reasons } from './reason.tsx';

const text = suppressions.dialog;

export function AddDialog({ onClose }: { onClose(): void }) {
  const [address, setAddress] = useState('');
  const [reason, setReason] = useState<Suppression['reason']>('manual_add');
  const add = useWrite(
    async (api) => {
      // Adding an address twice changes nothing; the toast says which case it was.
      const { data } = await api.suppressions.list({ address: address.trim(), limit: 1 }).page();
      const added = await api.suppressions.add({ address: address.trim(), reason });
      return { address: added.address, wasThere: data.length > 0 };
    },
    {
      changes: [['suppressions']],
      done: (made) => (made.wasThere ? text.present(made.address) : text.added(made.address)),
      quiet: true,
      onDone: onClose,
    },
  );
  const isMissing = address.trim() === '';
  return (
    <FormDialog
      onClose={onClose}
      title={text.title}
      description={text.hint}
      invalid={isMissing}
      onSubmit={() => add.mutate()}
      submit={text.submit}
      busy={add.isPending}
      error={add.error}
    >
      <Field
        label={text.address}
        hint={text.addressHint}
        name="address"
        problem={isMissing && text.addressNeeded}
      >
        <Input value={address} maxLength={320} onChange={(event) => setAddress(event.target.value)} />
      </Field>
      <Field label={text.reason} hint={text.reasonHint}>
        <Select
          value={reason}
          onChange={(event) => setReason(reasons.find((each) => each === event.target.value) ?? 'manual_add')}
        >
          {reasons.toReversed().map((each) => (
            <option key={each} value={each}>
              {suppressions.reasons[each]}
            </option>
          ))}
        </Select>
      </Field>
    </FormDialog>
  );
}
