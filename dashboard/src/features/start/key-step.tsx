import { Link } from '@tanstack/react-router';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { start as text } from '../../strings/start.ts';
import { Button, Notice, Row, SecretOnce } from '../../ui/index.ts';
import { useKeys } from './progress.ts';
import { Step } from './step.tsx';

/** `secret` is the key created on this page, until the page is left: it cannot be shown again. */
export function KeyStep(props: { secret: string | null; onSecret(secret: string): void; hasSent: boolean }) {
  const { secret, onSecret, hasSent } = props;
  const { kind } = useEnvironment();
  const canCreate = useCan('keys:write');
  const keys = useKeys().data?.data ?? [];
  const wasUsed = keys.some(({ last_used_at }) => last_used_at !== null);
  const create = useWrite(
    // In Live the key gets the least scopes; in Test all of them, for trying things out.
    (api) =>
      api.apiKeys.create({ name: text.key.name, preset: kind === 'live' ? 'send_only' : 'full_access' }),
    { changes: [['api-keys']], onDone: ({ key }) => onSecret(key) },
  );
  return (
    <Step number={1} title={text.key.title} isDone={secret !== null || (canCreate ? wasUsed : hasSent)}>
      <p>{text.key.text}</p>
      {!canCreate && <Notice>{text.key.cannot}</Notice>}
      {canCreate && secret === null && keys.length > 0 && (
        <p>
          {text.key.exists(keys.length)} {text.key.existsHint}
        </p>
      )}
      {secret !== null && (
        <>
          <SecretOnce secret={secret} />
          <p>{text.key.filledIn}</p>
        </>
      )}
      {canCreate && (
        <Row>
          {secret === null && (
            <Button
              variant={wasUsed ? 'secondary' : 'primary'}
              icon="key"
              busy={create.isPending}
              onClick={() => create.mutate()}
            >
              {keys.length > 0 ? text.key.another : text.key.create}
            </Button>
          )}
          <Link to={`/${kind}/settings`}>{text.key.manage}</Link>
        </Row>
      )}
    </Step>
  );
}
