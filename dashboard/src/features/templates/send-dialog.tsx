import type { SendFields, SendRequest, Template } from '@carillon/sdk';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { localStore } from '../../shell/local-store.ts';
import { type Channel, common } from '../../strings/common.ts';
import { templates } from '../../strings/templates.ts';
import {
  Button,
  Dialog,
  emptyInbox,
  Field,
  FormDialog,
  InboxFields,
  Input,
  inboxOf,
  isInboxWrong,
  LinkButton,
  Notice,
  Row,
  Select,
} from '../../ui/index.ts';
import { channelsOf } from './content.ts';
import type { Sample } from './sample.ts';

const text = templates.send;

export function SendDialog(props: {
  template: Template;
  sample: Sample;
  channel: Channel | undefined;
  isDirty: boolean;
  onClose(): void;
}) {
  const { template, sample, isDirty, onClose } = props;
  const { kind, person } = useEnvironment();
  const channels = channelsOf(template);
  const [channel, setChannel] = useState(
    props.channel && channels.includes(props.channel) ? props.channel : (channels[0] ?? 'email'),
  );
  const [inbox, setInbox] = useState(emptyInbox);
  const isInApp = channel === 'in_app';
  const [addresses, setAddresses] = useState<Partial<Record<Channel, string>>>({});
  const address = addresses[channel] ?? rememberedFor(channel) ?? (channel === 'email' ? person.email : '');
  const send = useWrite(
    (api) => {
      const fields: SendFields = {
        channel,
        recipient: recipientOf(channel, address.trim()),
        template_key: template.key,
        template_data: sample.data,
        ...(isInApp && inboxOf(inbox)),
      };
      return api.notifications.send(fields as SendRequest);
    },
    {
      quiet: true,
      changes: [['notifications']],
      onDone: () => canRemember(channel) && localStore.set(`to.${channel}`, address.trim()),
    },
  );
  const sent = send.data;
  if (sent) {
    return (
      <Dialog
        open
        onOpenChange={onClose}
        title={text.title}
        description={text.description}
        foot={<Button onClick={onClose}>{common.done}</Button>}
      >
        <Notice tone="green">{text.sent}</Notice>
        <Row>
          <LinkButton to={`/${kind}/notifications/${sent.id}`} icon="notifications">
            {text.open}
          </LinkButton>
          <Button variant="ghost" onClick={() => send.reset()}>
            {text.another}
          </Button>
        </Row>
      </Dialog>
    );
  }
  return (
    <FormDialog
      onClose={onClose}
      title={text.title}
      description={text.description}
      submit={text.confirm}
      onSubmit={() => send.mutate()}
      busy={send.isPending}
      disabled={address.trim() === ''}
      invalid={isInApp && isInboxWrong(inbox)}
      error={send.error}
    >
      {kind === 'live' && <Notice tone="amber">{text.live}</Notice>}
      {isDirty && <Notice>{text.dirty}</Notice>}

      <Field label={text.channel}>
        <Select value={channel} onChange={(event) => setChannel(event.target.value as Channel)}>
          {channels.map((each) => (
            <option key={each} value={each}>
              {common.channel(each)}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={text.to[channel]} name="recipient">
        <Input
          value={address}
          placeholder={text.placeholder[channel]}
          onChange={(event) => setAddresses({ ...addresses, [channel]: event.target.value })}
        />
      </Field>
      {isInApp && <InboxFields draft={inbox} onChange={setInbox} />}
    </FormDialog>
  );
}

/** Addresses of these channels are secrets and are not stored in the browser. */
const canRemember = (channel: Channel) =>
  channel !== 'chattwo' && channel !== 'chatthree' && channel !== 'webhook';
const rememberedFor = (channel: Channel) => (canRemember(channel) ? localStore.get(`to.${channel}`) : null);

function recipientOf(channel: Channel, address: string): SendFields['recipient'] {
  switch (channel) {
    case 'chattwo':
    case 'chatthree':
      return { endpoint: address };
    case 'chatone':
      return /^[UW]/.test(address) ? { chatone_user_id: address } : { chatone_channel_id: address };
    default:
      return { address };
  }
}
