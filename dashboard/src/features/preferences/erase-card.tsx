import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { user as text } from '../../strings/preferences.ts';
import { Button, Card, ConfirmDialog, Stack } from '../../ui/index.ts';
import styles from './preferences.module.css';

export function EraseCard({ id }: { id: string }) {
  const { kind } = useEnvironment();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const erase = useWrite((api) => api.users.erase(id), {
    changes: [['users'], ['preferences'], ['quiet-hours'], ['notifications']],
    done: text.erased,
    quiet: true,
    onDone: () => void navigate({ to: `/${kind}/preferences/users` }),
  });
  return (
    <Card>
      <div className={styles.danger}>
        <div>
          <h2>{text.erase}</h2>
          <p className={styles.muted}>{text.eraseHint}</p>
        </div>
        <Button variant="danger" onClick={() => setAsking(true)}>
          {text.eraseButton}
        </Button>
      </div>
      {isAsking && (
        <ConfirmDialog
          onClose={() => setAsking(false)}
          title={text.eraseTitle(id)}
          confirm={text.eraseConfirm}
          word={id}
          onConfirm={() => erase.mutate()}
          busy={erase.isPending}
          error={erase.error}
        >
          <Stack>
            <Points title={text.eraseGoes} points={text.eraseGoesList} />
            <Points title={text.eraseStays} points={text.eraseStaysList} />
            <p className={styles.small}>{text.eraseLong}</p>
          </Stack>
        </ConfirmDialog>
      )}
    </Card>
  );
}

function Points({ title, points }: { title: string; points: string[] }) {
  return (
    <div>
      <h3>{title}</h3>
      <ul className={styles.points}>
        {points.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </div>
  );
}
