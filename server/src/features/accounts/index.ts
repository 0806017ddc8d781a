export { createAuthenticator } from './authenticator.ts';
export { bootstrap } from './bootstrap.ts';
export { type Credentials, credentialsPath, readCredentials } from './credentials-file.ts';
export { createOrganizationFor } from './organizations.ts';
export { resetPassword } from './people-service.ts';
export { listPeople } from './people-store.ts';
export { accountRoutes } from './routes.ts';
export { deleteExpiredSessions } from './sessions-store.ts';
export { listEveryOrganizationId } from './tenants-store.ts';
