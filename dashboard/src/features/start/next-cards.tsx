import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { start as text } from '../../strings/start.ts';
import { AnchorButton, CodeBlock, Dialog, Icon, type IconName } from '../../ui/index.ts';
import { inboxPage, inboxServer } from './snippets.ts';
import styles from './start.module.css';

const pages = [
  ['template', 'templates', '/templates'],
  ['webhook', 'webhooks', '/webhooks'],
  ['provider', 'connections', '/connections'],
  ['workflow', 'workflows', '/workflows'],
] as const;

export function NextCards() {
  const { kind } = useEnvironment();
  const [isInboxOpen, setInboxOpen] = useState(false);
  return (
    <section className={styles.next} aria-labelledby="what-next">
      <h2 id="what-next">{text.next.title}</h2>
      <ul className={styles.cards}>
        {pages.map(([name, icon, path]) => (
          <li key={name}>
            <Link to={`/${kind}${path}`} className={styles.card}>
              <Inside name={name} icon={icon} />
            </Link>
          </li>
        ))}
        <li>
          <button type="button" className={styles.card} onClick={() => setInboxOpen(true)}>
            <Inside name="inbox" icon="in_app" />
          </button>
        </li>
      </ul>
      <InboxDialog open={isInboxOpen} onOpenChange={setInboxOpen} />
    </section>
  );
}

function Inside({ name, icon }: { name: Exclude<keyof typeof text.next, 'title'>; icon: IconName }) {
  const [title, what] = text.next[name];
  return (
    <>
      <Icon name={icon} size={20} />
      <strong>{title}</strong>
      <span className={styles.what}>{what}</span>
    </>
  );
}

function InboxDialog(props: { open: boolean; onOpenChange(open: boolean): void }) {
  return (
    <Dialog
      {...props}
      wide
      title={text.inbox.title}
      description={text.inbox.text}
      foot={
        <AnchorButton href="/docs" target="_blank" rel="noreferrer" icon="book">
          {text.inbox.guide}
        </AnchorButton>
      }
    >
      <h3>{text.inbox.html}</h3>
      <CodeBlock code={inboxPage(location.origin)} label={text.inbox.html} />
      <h3>{text.inbox.server}</h3>
      <CodeBlock code={inboxServer(location.origin)} label={text.inbox.server} />
    </Dialog>
  );
}
