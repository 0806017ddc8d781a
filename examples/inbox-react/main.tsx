import { CarillonInbox, CarillonPreferences } from '@carillon/widgets/react';
import { useCallback, useState } from 'react';
import { createRoot } from 'react-dom/client';

declare const carillonUrl: string;

const tabs = [{ label: 'Greetings', tag: 'greetings' }];

function Site() {
  const [unread, setUnread] = useState(0);
  const [opened, setOpened] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const tokenProvider = useCallback(async () => {
    const response = await fetch('/token');
    if (!response.ok) throw new Error('not signed in');
    return ((await response.json()) as { token: string }).token;
  }, []);
  const common = { url: carillonUrl, tokenProvider };
  return (
    <>
      <header>
        <h1>My shop{unread > 0 ? ` (${unread})` : ''}</h1>
        <CarillonInbox
          {...common}
          tabs={tabs}
          onAction={({ detail }) => setChosen(detail.action.label)}
          onUnreadCount={({ detail }) => setUnread(detail.unread_count)}
          onOpen={(event) => {
            event.preventDefault(); // a router goes there instead
            setOpened(event.detail.item.action_url);
          }}
        />
      </header>
      <main>
        <p>
          <button type="button" onClick={() => fetch('/send', { method: 'POST' })}>
            Send me something
          </button>{' '}
          {opened ? <output>Opened {opened}</output> : null}
          {chosen ? <output>You chose “{chosen}”.</output> : null}
        </p>
        <h2>What do you want to hear about?</h2>
        <CarillonPreferences {...common} variant="cards" />
      </main>
    </>
  );
}

const root = document.querySelector('#root');
if (root) createRoot(root).render(<Site />);
