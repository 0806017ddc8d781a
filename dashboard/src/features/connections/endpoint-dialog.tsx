import { CarillonError } from '@carillon/sdk';
import { useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { endpoints } from '../../strings/connections.ts';
import { Field, FormDialog, Input } from '../../ui/index.ts';
import {
  displayNameOf,
  type Endpoint,
  type EndpointChannel,
  type EndpointInput,
  endpointsOf,
  listKey,
} from './endpoints.ts';

const text = endpoints.dialog;

/** Edits an endpoint, or creates one when `endpoint` is null. The stored URL is never shown, only kept or replaced. */
export function EndpointDialog(props: {
  channel: EndpointChannel;
  endpoint: Endpoint | null;
  onClose(): void;
}) {
  const { channel, endpoint, onClose } = props;
  const [label, setLabel] = useState(endpoint?.label ?? '');
  const [url, setUrl] = useState('');
  const [key, setKey] = useState('');
  const [speaker, setSpeaker] = useState(displayNameOf(endpoint));
  const save = useWrite(
    async (api) => {
      const calls = endpointsOf(api, channel);
      const input: EndpointInput = {
        label: label.trim(),
        ...(url.trim() ? { webhook_url: url.trim() } : {}),
        ...(channel === 'chatthree'
          ? {
              default_username: speaker.username.trim(),
              default_avatar_url: speaker.avatar.trim(),
            }
          : {}),
      };
      if (endpoint) return calls.update(endpoint.id, input);
      return calls.create({ ...input, webhook_url: url.trim(), ...(key.trim() ? { key: key.trim() } : {}) });
    },
    {
      changes: [listKey(channel), ['overview']],
      done: endpoint ? common.saved : text.added,
      quiet: true,
      onDone: onClose,
    },
  );
  const isLabelMissing = label.trim() === '';
  const isUrlMissing = endpoint === null && url.trim() === '';
  return (
    <FormDialog
      onClose={onClose}
      title={endpoint ? text.editTitle(endpoint.label) : text.addTitle}
      invalid={isLabelMissing || isUrlMissing}
      onSubmit={() => save.mutate()}
      submit={endpoint ? common.save : common.add}
      busy={save.isPending}
      error={save.error}
    >
      <Field
        label={text.label}
        hint={text.labelHint}
        name="label"
        problem={isLabelMissing && text.labelNeeded}
      >
        <Input dir="auto" value={label} maxLength={200} onChange={(event) => setLabel(event.target.value)} />
      </Field>
      <Field
        label={text.url}
        hint={endpoint ? text.urlKept(endpoint.webhook_url_prefix) : text.urlHints[channel]}
        name="webhook_url"
        error={urlProblem(save.error)}
        problem={isUrlMissing && text.urlNeeded}
      >
        <Input mono value={url} maxLength={4096} onChange={(event) => setUrl(event.target.value)} />
      </Field>
      {endpoint === null && (
        <Field label={text.keyOptional} hint={text.keyHint} name="key">
          <Input mono value={key} maxLength={100} onChange={(event) => setKey(event.target.value)} />
        </Field>
      )}
      {channel === 'chatthree' && (
        <>
          <Field label={text.username} hint={text.usernameHint} name="default_username">
            <Input
              dir="auto"
              value={speaker.username}
              maxLength={80}
              onChange={(event) => setSpeaker({ ...speaker, username: event.target.value })}
            />
          </Field>
          <Field label={text.avatar} hint={text.avatarHint} name="default_avatar_url">
            <Input
              mono
              value={speaker.avatar}
              maxLength={2048}
              onChange={(event) => setSpeaker({ ...speaker, avatar: event.target.value })}
            />
          </Field>
        </>
      )}
    </FormDialog>
  );
}

/** Advice for the error codes that recognize a wrong kind of URL. */
function urlProblem(error: unknown): string | undefined {
  return error instanceof CarillonError && error.code ? endpoints.codes[error.code] : undefined;
}
