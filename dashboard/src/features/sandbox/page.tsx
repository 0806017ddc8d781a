import { useEnvironment } from '../../api/environment.tsx';
import { sandbox } from '../../strings/sandbox.ts';
import { EmptyState, LinkButton, Page, Row } from '../../ui/index.ts';
import { Outbox } from './outbox.tsx';

export default function SandboxPage() {
  const { kind } = useEnvironment();
  return kind === 'test' ? <Outbox /> : <NotHere />;
}

function NotHere() {
  const { live } = sandbox;
  return (
    <Page title={sandbox.title}>
      <EmptyState
        title={live.title}
        icon="sandbox"
        action={
          <Row>
            <LinkButton to="/test/sandbox" variant="primary">
              {live.toTest}
            </LinkButton>
            <LinkButton to="/live/notifications">{live.toNotifications}</LinkButton>
          </Row>
        }
      >
        {live.text}
      </EmptyState>
    </Page>
  );
}
