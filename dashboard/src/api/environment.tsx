import type { Client, GetMeResult, Person } from '@carillon/sdk';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { createApi } from './client.ts';

export type { Person };
export type Organization = Person['organizations'][number];
export type Environment = Organization['environments'][number];
export type Kind = Environment['kind'];
export type Scope = GetMeResult['scopes'][number];

/** Where the person is: every page below the frame has one. */
export interface Place {
  person: Person;
  organization: Organization;
  environment: Environment;
  kind: Kind;
  api: Client;
  /** Whether the person's role allows it; the service decides in the end, this only spares a refusal. */
  can(scope: Scope): boolean;
}

const PlaceContext = createContext<Place | null>(null);

export function PlaceProvider(props: {
  person: Person;
  organization: Organization;
  environment: Environment;
  scopes: readonly string[];
  children: ReactNode;
}) {
  const { person, organization, environment, scopes, children } = props;
  const place = useMemo<Place>(
    () => ({
      person,
      organization,
      environment,
      kind: environment.kind,
      api: createApi(environment.id),
      can: (scope) => scopes.includes(scope),
    }),
    [person, organization, environment, scopes],
  );
  return <PlaceContext value={place}>{children}</PlaceContext>;
}

export function usePlace(): Place {
  const place = useContext(PlaceContext);
  if (!place) throw new Error('There is no environment around this.');
  return place;
}

export function useApi(): Client {
  return usePlace().api;
}

export function useCan(scope: Scope): boolean {
  return usePlace().can(scope);
}
