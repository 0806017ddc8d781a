import { errorOf } from '../../api/queries.ts';
import { email as text } from '../../strings/connections.ts';
import { Card, Checkbox, Field, Input } from '../../ui/index.ts';
import styles from './connections.module.css';
import type { EmailDraft } from './email-draft.ts';

export const senderFields = ['from_address', 'from_name', 'reply_to'];

export function SenderCard(props: {
  draft: EmailDraft;
  onChange(changes: Partial<EmailDraft>): void;
  error: unknown;
  mayWrite: boolean;
}) {
  const { draft, onChange, error, mayWrite } = props;
  return (
    <Card title={text.sender}>
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
          hint={text.senderLockedHint}
          checked={draft.sender_locked}
          disabled={!mayWrite}
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
