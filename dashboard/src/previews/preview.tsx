import { useState } from 'react';
import { BlocksPreview } from './blocks.tsx';
import { CardPreview } from './card.tsx';
import { EmailPreview } from './email.tsx';
import { EmbedsPreview } from './embeds.tsx';
import { InAppPreview } from './in-app.tsx';
import type { PreviewMessage, PreviewView } from './message.ts';
import { hasPictures, PicturesNotice, PicturesProvider } from './pictures.tsx';
import styles from './preview.module.css';
import { SmsPreview } from './sms.tsx';
import { WebhookPreview } from './webhook.tsx';

/** A message as its recipient sees it. `view` applies to emails; other channels only become narrow on a phone. */
export function MessagePreview({ message, view }: { message: PreviewMessage; view: PreviewView }) {
  const [areShown, setShown] = useState(false);
  return (
    <PicturesProvider value={areShown}>
      <div className={styles.preview} data-view={view} data-channel={message.channel}>
        {!areShown && hasPictures(message) && <PicturesNotice onShow={() => setShown(true)} />}
        <ByChannel message={message} view={view} />
      </div>
    </PicturesProvider>
  );
}

function ByChannel({ message, view }: { message: PreviewMessage; view: PreviewView }) {
  switch (message.channel) {
    case 'email':
      return <EmailPreview message={message} view={view} />;
    case 'sms':
      return <SmsPreview message={message} />;
    case 'in_app':
      return <InAppPreview message={message} view={view} />;
    case 'chatone':
      return <BlocksPreview message={message} />;
    case 'chattwo':
      return <CardPreview message={message} />;
    case 'chatthree':
      return <EmbedsPreview message={message} />;
    case 'webhook':
      return <WebhookPreview message={message} />;
  }
}
