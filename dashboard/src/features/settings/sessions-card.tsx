import type { Session } from '@carillon/sdk';
import { useList, useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { profile } from '../../strings/settings.ts';
import { Badge, Button, ListCard, shortTime, Time } from '../../ui/index.ts';

export function SessionsCard() {
  const query = useList(['sessions'], (api, cursor, signal) =>
    api.sessions.list({ limit: 50, cursor }, { signal }).page(),
  );
  const end = useWrite((api, { id }: Session) => api.sessions.end(id), {
    changes: [['sessions']],
    done: profile.ended,
  });
  return (
    <ListCard
      title={profile.sessions}
      query={{ ...query, items: query.items.toSorted((a, b) => Number(b.current) - Number(a.current)) }}
      label={profile.sessions}
      rowKey={({ id }) => id}
      columns={[
        {
          header: profile.session,
          cell: ({ current }) => (current ? <Badge tone="blue">{profile.thisOne}</Badge> : profile.another),
        },
        { header: profile.started, cell: (each) => <Time at={each.created_at} /> },
        { header: profile.lastSeen, cell: (each) => <Time at={each.last_seen_at} /> },
        { header: profile.expires, cell: (each) => <Time at={each.expires_at} /> },
        {
          header: common.actions,
          hideHeader: true,
          end: true,
          cell: (each) =>
            !each.current && (
              <Button
                size="small"
                busy={end.isPending && end.variables?.id === each.id}
                aria-label={profile.endSession(shortTime(new Date(each.created_at)))}
                onClick={() => end.mutate(each)}
              >
                {profile.end}
              </Button>
            ),
        },
      ]}
    />
  );
}
