export { createAuthenticator } from './authenticator.ts';
export { bootstrap, type Credentials, credentialsPath, readCredentials } from './bootstrap.ts';
export { createOrganizationFor } from './organizations.ts';
export { resetPassword } from './people-service.ts';
export { listPeople, tidySessions } from './people-store.ts';
export { accountRoutes } from './routes.ts';
export { findOrganizationId, findSender, listEveryOrganizationId } from './team-store.ts';
export { networkOf } from './throttle.ts';
