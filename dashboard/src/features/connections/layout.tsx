import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { common } from '../../strings/common.ts';
import { connections as text } from '../../strings/connections.ts';
import { push } from '../../strings/push.ts';
import { ChannelLabel, Icon, Notice, Page, TabLink, TabLinks } from '../../ui/index.ts';
import styles from './connections.module.css';

const channels = ['email', 'sms', 'push', 'chatone', 'chattwo', 'chatthree'] as const;
type ConnectedChannel = (typeof channels)[number];

/** The layout of the connection pages: the tabs of the channels, and the notice about Test. */
export function ConnectionsLayout(props: {
  channel: ConnectedChannel;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { channel, actions, children } = props;
  const { kind, can } = useEnvironment();
  return (
    <Page title={text.title} description={<Description channel={channel} />} actions={actions}>
      <TabLinks label={text.sections}>
        {channels.map((each) => (
          <TabLink
            key={each}
            to={`/${kind}/connections${each === 'email' ? '' : `/${each}`}`}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            {each === 'push' ? <PushLabel /> : <ChannelLabel channel={each} />}
          </TabLink>
        ))}
      </TabLinks>
      {kind === 'test' && (
        <Notice>
          {text.inTest[channel]} <Link to={`/${kind}/sandbox`}>{text.toSandbox}</Link>
        </Notice>
      )}
      {!can('channels:write') && <Notice>{common.viewerOnly}</Notice>}
      {children}
    </Page>
  );
}

/** Push extends the inbox; it is not a channel. */
function PushLabel() {
  return (
    <span className={styles.tab}>
      <Icon name="notifications" size={15} />
      {push.tab}
    </span>
  );
}

function Description({ channel }: { channel: ConnectedChannel }) {
  const wireName = common.wireName(channel);
  return (
    <>
      {text.descriptions[channel]}
      {wireName !== null && (
        <>
          {' '}
          {text.inTheApi} <code>{wireName}</code>.
        </>
      )}
    </>
  );
}
