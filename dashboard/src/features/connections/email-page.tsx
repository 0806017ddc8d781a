import { ChainPage } from './chain-page.tsx';
import { bodyOf, draftOf, managedFromOf } from './email-draft.ts';
import { SenderCard, senderFields } from './sender-card.tsx';

export default function EmailPage() {
  return (
    <ChainPage
      channel="email"
      read={(api, environmentId, options) => api.emailSettings.get(environmentId, options)}
      replace={(api, environmentId, body) => api.emailSettings.replace(environmentId, body)}
      draftOf={draftOf}
      bodyOf={bodyOf}
      otherFields={senderFields}
      others={({ saved, draft, change, error, mayWrite }) => (
        <SenderCard
          draft={draft}
          managedFrom={managedFromOf(draft, saved)}
          onChange={change}
          error={error}
          mayWrite={mayWrite}
        />
      )}
    />
  );
}
