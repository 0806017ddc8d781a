import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { start as text } from '../../strings/start.ts';
import { Loaded, Notice, Page } from '../../ui/index.ts';
import { KeyStep } from './key-step.tsx';
import { NextCards } from './next-cards.tsx';
import { type Sending, useKeys, useSending } from './progress.ts';
import { SendStep } from './send-step.tsx';
import styles from './start.module.css';
import { WatchStep } from './watch-step.tsx';

export default function StartPage() {
  const { environment } = useEnvironment();
  const sending = useSending();
  const keys = useKeys();
  return (
    <Page title={text.title} description={text.description}>
      {/* A Test key does not work in Live, so each environment starts anew. */}
      <Loaded query={keys.isLoading ? { ...sending, data: undefined } : sending}>
        {(data) => <Steps key={environment.id} sending={data} />}
      </Loaded>
      <NextCards />
    </Page>
  );
}

function Steps({ sending }: { sending: Sending }) {
  const [secret, setSecret] = useState<string | null>(null);
  const hasSent = sending.newest !== null;
  return (
    <>
      {sending.hasArrived && <Notice tone="green">{text.allDone}</Notice>}
      <ol className={styles.steps} aria-label={text.steps}>
        <KeyStep secret={secret} onSecret={setSecret} hasSent={hasSent} />
        <SendStep secret={secret} isDone={hasSent} />
        <WatchStep sending={sending} />
      </ol>
    </>
  );
}
