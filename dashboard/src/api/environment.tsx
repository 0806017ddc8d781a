import type { Client, GetMeResult, Person } from '@carillon/sdk';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { createApi } from './client.ts';
export type Organization = Person['organizations'][number];
type Environment = Organization['environments'][number];
type Kind = Environment['kind'];
export type Scope = GetMeResult['scopes'][number];

/** The signed-in person and the selected environment; every page inside the layout has one. */
interface EnvironmentScope {
  person: Person;
  organization: Organization;
  environment: Environment;
  kind: Kind;
  api: Client;
  /** True when the role has the scope. The server enforces it; the dashboard only hides what would be rejected. */
  can(scope: Scope): boolean;
}

const EnvironmentContext = createContext<EnvironmentScope | null>(null);

export function EnvironmentProvider(props: {
  person: Person;
  organization: Organization;
  environment: Environment;
  scopes: readonly string[];
  children: ReactNode;
}) {
  const { person, organization, environment, scopes, children } = props;
  const value = useMemo<EnvironmentScope>(
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
  return <EnvironmentContext value={value}>{children}</EnvironmentContext>;
}

export function useEnvironment(): EnvironmentScope {
  const environment = useContext(EnvironmentContext);
  if (!environment) throw new Error('useEnvironment needs an EnvironmentProvider.');
  return environment;
}

export function useApi(): Client {
  return useEnvironment().api;
}

export function useCan(scope: Scope): boolean {
  return useEnvironment().can(scope);
}
