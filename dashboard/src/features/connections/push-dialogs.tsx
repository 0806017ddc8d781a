import type { PushSettings, PushSettingsRequest } from '@carillon/sdk';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { push } from '../../strings/push.ts';
import {
  Field,
  FormDialog,
  Input,
  isRingWrong,
  RingFields,
  ringDraftOf,
  ringOf,
  Select,
  Textarea,
} from '../../ui/index.ts';
import { changePush, type PushKind, pushKey } from './push-settings.ts';

const text = push.dialog;

interface DialogProps {
  settings: PushSettings;
  onClose(): void;
}

/** Sets up a service, or edits it. Stored keys are never shown, only kept or replaced. */
export function PushDialog({ kind, ...props }: DialogProps & { kind: PushKind }) {
  switch (kind) {
    case 'web_push':
      return <WebPushDialog {...props} />;
    case 'apns':
      return <ApnsDialog {...props} />;
    case 'fcm':
      return <FcmDialog {...props} />;
  }
}

function useSave(onClose: () => void) {
  const { environment } = useEnvironment();
  return useWrite((api, changes: PushSettingsRequest) => changePush(api, environment.id, changes), {
    changes: [pushKey],
    done: common.saved,
    quiet: true,
    onDone: onClose,
  });
}

function formOf(
  kind: PushKind,
  { settings, onClose }: DialogProps,
  save: { isPending: boolean; error: unknown },
) {
  const title = settings[kind] ? text.editTitle : text.setUpTitle;
  return {
    onClose,
    title: title(push.names[kind]),
    submit: common.save,
    busy: save.isPending,
    error: save.error,
  };
}

function WebPushDialog(props: DialogProps) {
  const [contact, setContact] = useState(props.settings.web_push?.contact ?? '');
  const save = useSave(props.onClose);
  const isMissing = contact.trim() === '';
  return (
    <FormDialog
      {...formOf('web_push', props, save)}
      invalid={isMissing}
      onSubmit={() => save.mutate({ web_push: { contact: contact.trim() } })}
    >
      <Field
        label={text.contact}
        hint={text.contactHint}
        name="web_push.contact"
        problem={isMissing && text.needed}
      >
        <Input value={contact} maxLength={300} onChange={(event) => setContact(event.target.value)} />
      </Field>
    </FormDialog>
  );
}

function ApnsDialog(props: DialogProps) {
  const stored = props.settings.apns;
  const [team, setTeam] = useState(stored?.team_id ?? '');
  const [key, setKey] = useState(stored?.key_id ?? '');
  const [bundle, setBundle] = useState(stored?.bundle_id ?? '');
  const [environment, setEnvironment] = useState(stored?.environment ?? 'production');
  const [privateKey, setPrivateKey] = useState('');
  const save = useSave(props.onClose);
  const isKept = stored?.team_id === team.trim() && stored.key_id === key.trim();
  const isKeyMissing = !isKept && privateKey.trim() === '';
  const isIncomplete = [team, key, bundle].some((each) => each.trim() === '');
  const needed = (value: string) => value.trim() === '' && text.needed;
  const keyHint = isKept ? text.privateKeyKept : stored ? text.privateKeyAgain : text.privateKeyHint;
  return (
    <FormDialog
      {...formOf('apns', props, save)}
      invalid={isIncomplete || isKeyMissing}
      onSubmit={() =>
        save.mutate({
          apns: {
            team_id: team.trim(),
            key_id: key.trim(),
            bundle_id: bundle.trim(),
            environment,
            ...(privateKey.trim() === '' ? {} : { private_key: privateKey.trim() }),
          },
        })
      }
    >
      <Field label={text.team} hint={text.teamHint} name="apns.team_id" problem={needed(team)}>
        <Input mono value={team} maxLength={20} onChange={(event) => setTeam(event.target.value)} />
      </Field>
      <Field label={text.key} hint={text.keyHint} name="apns.key_id" problem={needed(key)}>
        <Input mono value={key} maxLength={20} onChange={(event) => setKey(event.target.value)} />
      </Field>
      <Field label={text.bundle} hint={text.bundleHint} name="apns.bundle_id" problem={needed(bundle)}>
        <Input mono value={bundle} maxLength={255} onChange={(event) => setBundle(event.target.value)} />
      </Field>
      <Field label={text.environment} hint={text.environmentHint} name="apns.environment">
        <Select
          value={environment}
          onChange={(event) => setEnvironment(event.target.value as typeof environment)}
        >
          <option value="production">{push.environments.production}</option>
          <option value="sandbox">{push.environments.sandbox}</option>
        </Select>
      </Field>
      <Field
        label={text.privateKey}
        hint={keyHint}
        name="apns.private_key"
        problem={isKeyMissing && text.needed}
      >
        <Textarea
          mono
          rows={6}
          autoComplete="off"
          value={privateKey}
          maxLength={2000}
          onChange={(event) => setPrivateKey(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}

function FcmDialog(props: DialogProps) {
  const stored = props.settings.fcm;
  const [file, setFile] = useState('');
  const save = useSave(props.onClose);
  const account = objectIn(file);
  const isKept = stored !== null && file.trim() === '';
  return (
    <FormDialog
      {...formOf('fcm', props, save)}
      invalid={!isKept && account === null}
      onSubmit={() => save.mutate({ fcm: account ? { service_account: account } : {} })}
    >
      <Field
        label={text.account}
        hint={stored ? text.accountKept(stored.project_id) : text.accountHint}
        name="fcm.service_account"
        problem={!isKept && account === null && text.accountWrong}
      >
        <Textarea
          mono
          rows={10}
          autoComplete="off"
          value={file}
          maxLength={20_000}
          onChange={(event) => setFile(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}

function objectIn(file: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(file);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

export function RingDialog({ settings, onClose }: DialogProps) {
  const [draft, setDraft] = useState(ringDraftOf(settings.ring));
  const save = useSave(onClose);
  return (
    <FormDialog
      onClose={onClose}
      title={push.ring}
      description={push.ringHint}
      submit={common.save}
      busy={save.isPending}
      error={save.error}
      invalid={isRingWrong(draft)}
      onSubmit={() => save.mutate({ ring: ringOf(draft) })}
    >
      <RingFields name="ring" draft={draft} onChange={setDraft} />
    </FormDialog>
  );
}
