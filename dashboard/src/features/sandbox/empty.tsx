import { useEnvironment } from '../../api/environment.tsx';
import { type MagicRecipient, magicRecipients, sandbox } from '../../strings/sandbox.ts';
import { Card, type Column, Copyable, EmptyState, LinkButton, StatusBadge, Table } from '../../ui/index.ts';

const text = sandbox.magic;

const columns: Column<MagicRecipient>[] = [
  { header: text.address, cell: ({ address }) => <Copyable text={address} /> },
  { header: text.meaning, cell: ({ meaning }) => meaning },
  { header: text.ending, cell: ({ ending }) => <StatusBadge status={ending} /> },
];

export function SandboxEmpty() {
  const { kind, can } = useEnvironment();
  const { none } = sandbox;
  return (
    <>
      <EmptyState
        title={none.title}
        icon="sandbox"
        action={
          can('notifications:send') && (
            <LinkButton to={`/${kind}/notifications?send=1`} variant="primary" icon="send">
              {none.sendOne}
            </LinkButton>
          )
        }
      >
        {none.text}
      </EmptyState>
      <Card flush>
        <Table
          label={text.label}
          columns={columns}
          rows={[...magicRecipients.email, ...magicRecipients.sms]}
          rowKey={({ address }) => address}
        />
      </Card>
      <p style={{ color: 'var(--text-2)' }}>{none.other}</p>
    </>
  );
}
