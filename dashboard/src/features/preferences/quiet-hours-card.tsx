import type { QuietHours } from '@carillon/sdk';
import { useState } from 'react';
import { orNull } from '../../api/or-null.ts';
import { useRead, useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { user as text } from '../../strings/preferences.ts';
import { Button, Card, Field, FormDialog, Input, Loaded, Stack, ZoneInput } from '../../ui/index.ts';
import styles from './preferences.module.css';

/** `zone` is the time zone of the user, the default of new quiet hours. */
export function QuietHoursCard(props: { id: string; zone: string | null; mayWrite: boolean }) {
  const { id, zone, mayWrite } = props;
  const [isEditing, setEditing] = useState(false);
  const query = useRead(['quiet-hours', id], (api, signal) =>
    orNull(api.preferences.getQuietHours(id, { signal })),
  );
  const remove = useWrite((api) => api.preferences.deleteQuietHours(id), {
    changes: [['quiet-hours', id]],
    done: text.quietRemoved,
  });
  return (
    <Card
      title={text.quiet}
      actions={
        mayWrite &&
        query.data !== undefined && (
          <>
            <Button size="small" icon="clock" onClick={() => setEditing(true)}>
              {query.data ? text.quietEdit : text.quietSet}
            </Button>
            {query.data && (
              <Button size="small" busy={remove.isPending} onClick={() => remove.mutate()}>
                {text.quietRemove}
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded query={query} lines={2}>
        {(hours) => (
          <Stack>
            {hours ? <Window hours={hours} /> : <p>{text.quietNone}</p>}
            <p className={styles.small}>{text.quietHint}</p>
          </Stack>
        )}
      </Loaded>
      {isEditing && (
        <QuietHoursDialog
          id={id}
          before={query.data ?? { start_local: '22:00', end_local: '07:00', timezone: zone ?? ownZone }}
          onClose={() => setEditing(false)}
        />
      )}
    </Card>
  );
}

const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function Window({ hours }: { hours: QuietHours }) {
  const { start_local: from, end_local: to, timezone } = hours;
  return (
    <p>
      <strong className={styles.window}>{text.quietWindow(from, to)}</strong>{' '}
      {from > to && <span className={styles.muted}>{text.quietOvernight}</span>}
      <br />
      {timezone}
    </p>
  );
}

function QuietHoursDialog({ id, before, onClose }: { id: string; before: QuietHours; onClose(): void }) {
  const [from, setFrom] = useState(before.start_local);
  const [to, setTo] = useState(before.end_local);
  const [timezone, setTimezone] = useState(before.timezone);
  const save = useWrite(
    (api) =>
      api.preferences.setQuietHours(id, { start_local: from, end_local: to, timezone: timezone.trim() }),
    { changes: [['quiet-hours', id]], done: common.saved, quiet: true, onDone: onClose },
  );
  const problem = from === '' || to === '' ? text.quietTimes : from === to ? text.quietSame : null;
  return (
    <FormDialog
      onClose={onClose}
      title={text.quiet}
      description={text.quietHint}
      invalid={problem !== null}
      onSubmit={() => save.mutate()}
      submit={common.save}
      busy={save.isPending}
      error={save.error}
    >
      <div className={styles.pair}>
        <Field label={text.quietFrom} name="start_local">
          <Input type="time" value={from} onChange={(event) => setFrom(event.target.value)} />
        </Field>
        <Field label={text.quietTo} name="end_local" error={problem}>
          <Input type="time" value={to} onChange={(event) => setTo(event.target.value)} />
        </Field>
      </div>
      <Field label={text.quietZone} hint={text.quietZoneHint} name="timezone">
        <ZoneInput value={timezone} onChange={setTimezone} />
      </Field>
    </FormDialog>
  );
}
