import type { CreateApiKeyResult, ListApiKeysResult } from '@carillon/sdk';
import { common } from '../../strings/common.ts';
import { keys } from '../../strings/settings.ts';
import { Button, CodeBlock, Dialog, SecretOnce } from '../../ui/index.ts';

export type ApiKey = ListApiKeysResult['data'][number];
export type NewKey = Pick<CreateApiKeyResult, 'key' | 'name' | 'scopes'>;

/** Shows the key once, so only its button closes the dialog. */
export function NewKeyDialog({ made, onClose }: { made: NewKey; onClose(): void }) {
  return (
    <Dialog
      open
      firm
      onOpenChange={onClose}
      title={keys.ready}
      description={<bdi>{keys.readyHint(made.name)}</bdi>}
      foot={
        <Button variant="primary" onClick={onClose}>
          {common.done}
        </Button>
      }
    >
      <SecretOnce secret={made.key} />
      <h3>{keys.tryIt}</h3>
      <CodeBlock code={curlWith(made)} label={keys.curl} wrap />
    </Dialog>
  );
}

/** An example request that the scopes of the key allow. */
function curlWith({ key, scopes }: NewKey): string {
  const authorization = `  -H "Authorization: Bearer ${key}"`;
  if (!scopes.includes('notifications:send'))
    return [`curl -s ${location.origin}/v1/me`, authorization].join(' \\\n');
  const body = {
    channel: 'email',
    recipient: { address: 'delivered@sandbox.test' },
    subject: 'Hello',
    text_body: 'Hello from Carillon.',
  };
  return [
    `curl -s ${location.origin}/v1/notifications`,
    authorization,
    '  -H "Content-Type: application/json"',
    `  -d '${JSON.stringify(body)}'`,
  ].join(' \\\n');
}
