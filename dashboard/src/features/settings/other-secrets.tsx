import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { secrets } from '../../strings/settings.ts';
import { Button, Card, Dialog, ExactTime, FormDialog, SecretOnce } from '../../ui/index.ts';
import styles from './settings.module.css';
import { TimeChoice } from './time-choice.tsx';

type Which = 'inbox' | 'webhook';

/** The two secrets of an environment besides API keys: they can be rotated, never read. */
export function OtherSecrets() {
  const { can } = useEnvironment();
  const [rotating, setRotating] = useState<Which | null>(null);
  const may = { inbox: can('keys:write'), webhook: can('webhooks:write') };
  return (
    <Card title={secrets.title}>
      {(['inbox', 'webhook'] as const).map((which) => (
        <div key={which} className={styles.secret}>
          <div>
            <h3>{secrets[which]}</h3>
            <p className={styles.muted}>{which === 'inbox' ? secrets.inboxText : secrets.webhookText}</p>
          </div>
          <Button
            disabled={!may[which]}
            title={may[which] ? undefined : common.viewerOnly}
            onClick={() => setRotating(which)}
          >
            {secrets.rotate}
            <span className="visually-hidden">{secrets[which]}</span>
          </Button>
        </div>
      ))}
      {rotating && <RotateSecretDialog which={rotating} onClose={() => setRotating(null)} />}
    </Card>
  );
}

function RotateSecretDialog({ which, onClose }: { which: Which; onClose(): void }) {
  const { environment } = useEnvironment();
  const [overlap, setOverlap] = useState('86400');
  const rotate = useWrite(
    async (api): Promise<{ secret: string; until: string | null }> => {
      if (which === 'webhook') {
        const { signing_secret } = await api.webhookEndpoints.rotateEnvironmentSecret(environment.id);
        return { secret: signing_secret, until: null };
      }
      const made = await api.inboxTokens.rotateKey(environment.id, { overlap_seconds: Number(overlap) });
      return { secret: made.signing_key, until: made.previous_valid_until };
    },
    { changes: [['audit']], quiet: true },
  );
  if (rotate.data) {
    return (
      <Dialog
        open
        firm
        onOpenChange={onClose}
        title={secrets.ready}
        foot={
          <Button variant="primary" onClick={onClose}>
            {common.done}
          </Button>
        }
      >
        <SecretOnce secret={rotate.data.secret} />
        {rotate.data.until && (
          <p>
            {secrets.until} <ExactTime at={rotate.data.until} />
          </p>
        )}
      </Dialog>
    );
  }
  return (
    <FormDialog
      onClose={onClose}
      title={which === 'inbox' ? secrets.rotateInbox : secrets.rotateWebhook}
      description={which === 'inbox' ? secrets.rotateText : secrets.rotateWebhookText}
      onSubmit={() => rotate.mutate()}
      submit={secrets.confirm}
      busy={rotate.isPending}
      danger
      error={rotate.error}
    >
      {which === 'inbox' && (
        <TimeChoice
          label={secrets.overlap}
          choices={secrets.overlaps}
          value={overlap}
          onChange={setOverlap}
        />
      )}
    </FormDialog>
  );
}
