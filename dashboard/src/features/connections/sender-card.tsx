import { errorOf } from '../../api/queries.ts';
import { email as text } from '../../strings/connections.ts';
import { Card, Checkbox, Field, Input, Notice } from '../../ui/index.ts';
import styles from './connections.module.css';
import type { EmailDraft } from './email-draft.ts';

export const senderFields = ['from_address', 'from_name', 'reply_to'];

export function SenderCard(props: {
  draft: EmailDraft;
  /** The operator's sender, while emails go through the operator's server. */
  managedFrom: string | null;
  onChange(changes: Partial<EmailDraft>): void;
  error: unknown;
  mayWrite: boolean;
}) {
  const { draft, managedFrom, onChange, error, mayWrite } = props;
  return (
    <Card title={text.sender}>
      {managedFrom !== null && (
        <Notice>
          {text.managedSender} <strong className={styles.managedFrom}>{managedFrom}</strong>.{' '}
          {text.managedSenderText}
        </Notice>
      )}
      <div className={styles.fields}>
        <Field label={text.fromAddress} hint={text.fromAddressHint} error={errorOf(error, 'from_address')}>
          <Input
            type="email"
            value={draft.from_address}
            disabled={!mayWrite}
            maxLength={320}
            onChange={(event) => onChange({ from_address: event.target.value })}
          />
        </Field>
        <Field label={text.fromName} hint={text.fromNameHint} error={errorOf(error, 'from_name')}>
          <Input
            dir="auto"
            value={draft.from_name}
            disabled={!mayWrite}
            maxLength={200}
            onChange={(event) => onChange({ from_name: event.target.value })}
          />
        </Field>
        <Field label={text.replyTo} hint={text.replyToHint} error={errorOf(error, 'reply_to')}>
          <Input
            type="email"
            value={draft.reply_to}
            disabled={!mayWrite}
            maxLength={320}
            onChange={(event) => onChange({ reply_to: event.target.value })}
          />
        </Field>
      </div>
      <div className={styles.boxes}>
        <Checkbox
          label={text.senderLocked}
          hint={managedFrom === null ? text.senderLockedHint : text.senderLockedManaged}
          checked={draft.sender_locked || managedFrom !== null}
          disabled={!mayWrite || managedFrom !== null}
          onChange={(event) => onChange({ sender_locked: event.target.checked })}
        />
        <Checkbox
          label={text.trackOpens}
          hint={text.trackOpensHint}
          checked={draft.track_opens}
          disabled={!mayWrite}
          onChange={(event) => onChange({ track_opens: event.target.checked })}
        />
        <Checkbox
          label={text.trackClicks}
          hint={text.trackClicksHint}
          checked={draft.track_clicks}
          disabled={!mayWrite}
          onChange={(event) => onChange({ track_clicks: event.target.checked })}
        />
      </div>
    </Card>
  );
}
