import type { ListAuditEntriesResult } from '@carillon/sdk';
import { common } from '../../strings/common.ts';
import { audit } from '../../strings/settings.ts';

export type AuditEntry = ListAuditEntriesResult['data'][number];

/** The actions to choose from; the URL can filter by any other. */
export const actions = [
  'api_key.created',
  'api_key.rotated',
  'api_key.revoked',
  'attachments.purged',
  'brake.frozen',
  'brake.unfrozen',
  'brake.hold_released',
  'brake.hold_cancelled',
  'brake.release_stopped',
  'brake_rule.created',
  'brake_rule.updated',
  'brake_rule.deleted',
  'brand.replaced',
  'category.created',
  'category.updated',
  'category.archived',
  'chatone_installation.created',
  'chatone_installation.deleted',
  'chatthree_endpoint.created',
  'chatthree_endpoint.updated',
  'chatthree_endpoint.deleted',
  'chattwo_endpoint.created',
  'chattwo_endpoint.updated',
  'chattwo_endpoint.deleted',
  'device.registered',
  'device.deleted',
  'email_settings.updated',
  'encryption_key.lost',
  'inbox_key.rotated',
  'invitation.created',
  'invitation.withdrawn',
  'member.added',
  'member.role_changed',
  'member.removed',
  'member.updated',
  'member.signed_in',
  'member.signed_out',
  'member.sign_in_failed',
  'member.sign_in_throttled',
  'member.password_changed',
  'member.password_change_failed',
  'member.password_reset',
  'organization.created',
  'organization.updated',
  'prices.replaced',
  'push_settings.updated',
  'push_settings.deleted',
  'sms_settings.updated',
  'sms_settings.deleted',
  'schedule.created',
  'schedule.updated',
  'schedule.paused',
  'schedule.resumed',
  'schedule.run',
  'schedule.deleted',
  'suppression.added',
  'suppression.removed',
  'template.created',
  'template.updated',
  'template.restored',
  'template.promoted',
  'template.deleted',
  'user.erased',
  'webhook_endpoint.created',
  'webhook_endpoint.updated',
  'webhook_endpoint.disabled',
  'webhook_endpoint.secret_rotated',
  'webhook_endpoint.deliveries_discarded',
  'webhook_secret.rotated',
  'workflow.created',
  'workflow.updated',
  'workflow.version_created',
  'workflow.activated',
  'workflow.disabled',
  'workflow.promoted',
];

/** `api_key.created` → `API key created`. */
export function actionName(action: string): string {
  const name = audit.actions[action];
  if (name) return name;
  const [noun = '', verb = ''] = action.split('.');
  return `${audit.nouns[noun] ?? common.sentence(noun)} ${verb.replaceAll('_', ' ')}`.trim();
}

const pages: Record<string, string> = {
  template: '/templates',
  workflow: '/workflows',
  schedule: '/schedules',
  webhook_endpoint: '/webhooks',
  category: '/preferences',
  suppression: '/suppressions',
  brake: '/brake',
  brake_rule: '/brake',
  email_settings: '/connections',
  sms_settings: '/connections/sms',
  push_settings: '/connections/push',
  chatone_installation: '/connections/chatone',
  chattwo_endpoint: '/connections/chattwo',
  chatthree_endpoint: '/connections/chatthree',
  api_key: '/settings',
  inbox_key: '/settings',
  webhook_secret: '/settings',
  member: '/settings/team',
  invitation: '/settings/team',
  organization: '/settings/organization',
};

/** The page of the changed object, below the environment; null when there is none or the object is deleted. */
export function pageOf({ action, target, after }: AuditEntry): string | null {
  const noun = action.slice(0, action.indexOf('.'));
  const page = pages[noun];
  if (page === undefined || after === null) return null;
  if (noun === 'webhook_endpoint') return `${page}/${target.slice(target.indexOf(':') + 1)}`;
  const hasPageOfItsOwn = noun === 'template' || noun === 'workflow';
  return hasPageOfItsOwn && typeof after.key === 'string' ? `${page}/${encodeURIComponent(after.key)}` : page;
}
