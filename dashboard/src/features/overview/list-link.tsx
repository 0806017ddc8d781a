import type { ListNotificationsParams } from '@carillon/sdk';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../api/environment.tsx';

type Filters = Pick<ListNotificationsParams, 'status' | 'channel' | 'created_after'>;

/** Links a figure to its notifications. */
export function ListLink(props: { filters: Filters; className?: string; children: ReactNode }) {
  const { kind } = useEnvironment();
  return (
    <Link to={`/${kind}/notifications`} search={props.filters} className={props.className}>
      {props.children}
    </Link>
  );
}
