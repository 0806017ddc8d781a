/**
 * How operations of the API become methods of the client. A rule names most: the tag is the group, and the operation without
 * the words that the group says already is the method (`sendNotification` → `notifications.send`). Here is what the rule needs
 * to know, and what it gets wrong. An operation that nobody thought of here still gets a name.
 */
export interface Group {
  name: string;
  /** The words that the group says already. */
  said: RegExp;
}

const groups: Record<string, Group> = {
  Notifications: { name: 'notifications', said: /Notifications?/ },
  'Bulk actions': { name: 'bulkActions', said: /BulkActions?/ },
  Templates: { name: 'templates', said: /Templates?/ },
  Layouts: { name: 'layouts', said: /Layouts?/ },
  Partials: { name: 'partials', said: /Partials?/ },
  Translations: { name: 'translations', said: /Translations?/ },
  Categories: { name: 'categories', said: /Categor(?:y|ies)/ },
  Preferences: { name: 'preferences', said: /UserPreferences?/ },
  Suppressions: { name: 'suppressions', said: /Suppressions?/ },
  Users: { name: 'users', said: /Users?/ },
  Topics: { name: 'topics', said: /(?:From|To)?Topics?/ },
  Audiences: { name: 'audiences', said: /Audiences?/ },
  Broadcasts: { name: 'broadcasts', said: /Broadcasts?/ },
  Usage: { name: 'usage', said: /Usage/ },
  Brake: { name: 'brake', said: /Brake/ },
  'Inbox tokens': { name: 'inboxTokens', said: /Inbox(?:Token)?/ },
  Webhooks: { name: 'webhookEndpoints', said: /Webhook(?:Endpoints?)?/ },
  Workflows: { name: 'workflows', said: /Workflows?/ },
  'Workflow runs': { name: 'runs', said: /(?:Workflow)?Runs?/ },
  Schedules: { name: 'schedules', said: /Schedules?/ },
  Overview: { name: 'overview', said: /Overview/ },
  Sandbox: { name: 'sandbox', said: /Sandbox/ },
  'Email settings': { name: 'emailSettings', said: /Email(?:Settings)?/ },
  'Push settings': { name: 'pushSettings', said: /Push(?:Settings)?/ },
  'SMS settings': { name: 'smsSettings', said: /Sms(?:Settings)?/ },
  'Slack (chatone)': { name: 'chatone', said: /(?:To)?Chatone(?:Installations?)?/ },
  'Microsoft Teams (chattwo)': { name: 'chattwo', said: /(?:To)?Chattwo(?:Endpoints?)?/ },
  'Discord (chatthree)': { name: 'chatthree', said: /(?:To)?Chatthree(?:Endpoints?)?/ },
  Accounts: { name: 'environments', said: /Environments?/ },
  'API keys': { name: 'apiKeys', said: /ApiKeys?/ },
  'Dashboard sessions': { name: 'sessions', said: /Person|Sessions?/ },
  Team: { name: 'team', said: /^$/ },
  'Audit log': { name: 'auditLog', said: /AuditEntries/ },
};

/** A name without a dot is a method of the client itself. */
const irregular: Record<string, string> = {
  getMe: 'me',
  setUserPreferences: 'preferences.setMany',
  triggerWorkflow: 'workflows.trigger',
  postWorkflowEvent: 'workflows.postEvent',
  listWorkflowRuns: 'runs.list',
  verifyInboxToken: 'verifyToken',
  getInboxFeed: 'feed',
  getInboxUnreadCount: 'unreadCount',
  getInboxItem: 'get',
  markInboxItemRead: 'markRead',
  markInboxItemUnread: 'markUnread',
  archiveInboxItem: 'archive',
  markInboxRead: 'markAllRead',
  archiveInboxItems: 'archiveAll',
  getInboxUnreadCounts: 'unreadCounts',
  snoozeInboxItem: 'snooze',
  unsnoozeInboxItem: 'unsnooze',
  takeInboxAction: 'takeAction',
  createStreamTicket: 'createStreamTicket',
  getOwnPreferences: 'preferences.get',
  setOwnPreference: 'preferences.set',
  unsubscribeFromAll: 'preferences.unsubscribeAll',
};

export function methodName(operationId: string, tag: string): string {
  const named = irregular[operationId];
  if (named !== undefined) return named;
  const group = groups[tag];
  if (group === undefined) return `${camelCase(tag)}.${operationId}`;
  const rest = operationId.replace(group.said, '');
  return `${group.name}.${rest}`;
}

function camelCase(text: string): string {
  const [first = '', ...others] = text.toLowerCase().split(/[^a-z0-9]+/);
  return first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** POSTs that may be made twice: they change nothing, or the same thing to the same. */
export const repeatable = new Set([
  'renderTemplate',
  'previewTemplate',
  'simulateWorkflowVersion',
  'previewSchedule',
  'simulateSchedule',
  'pauseSchedule',
  'resumeSchedule',
  'createInboxToken',
  'addSuppression',
  'previewAudience',
  'dryRunBroadcast',
  'pauseBroadcast',
  'resumeBroadcast',
  'cancelBroadcast',
  'addTopicSubscribers',
  'removeTopicSubscribers',
  'verifyEmailProvider',
  'verifyInboxToken',
  'lookUpInvitation',
  'markInboxItemRead',
  'markInboxItemUnread',
  'archiveInboxItem',
  'snoozeInboxItem',
  'unsnoozeInboxItem',
  'takeInboxAction',
  'createStreamTicket',
  'unsubscribeFromAll',
  'redriveNotifications',
  'cancelNotifications',
  'cancelBulkAction',
]);

/** Names that mean something else in every program already. */
export const renamedSchemas: Record<string, string> = { Error: 'ErrorBody', Event: 'NotificationEvent' };

/** Where the wire accepts anything, to answer for each element alone, and a caller wants to know what is right. */
export const refinedTypes: Record<string, string> = {
  'sendNotificationBatch.notifications': 'Array<SendRequest>',
};

/** Schemas of which a caller can know more than the document says: the name of the fields, and the type made of them. */
export const refinedSchemas: Record<string, { fields: string; type: string }> = {
  SendRequest: { fields: 'SendFields', type: 'ByChannel<SendFields>' },
};
