// Generated from openapi.json: npm run generate

import type { List } from '../list.ts';
import type { Table } from '../operations.ts';
import type { GuardedOptions, KeyedOptions, RequestOptions } from '../transport.ts';
import type {
  AcceptInvitationParams,
  ActivateWorkflowVersionParams,
  AddTopicSubscribersResult,
  AudiencePreview,
  AwokenRuns,
  BrakeRule,
  BrakeRuleInput,
  BrakeStatus,
  Brand,
  BrandInput,
  Broadcast,
  BroadcastDryRun,
  BroadcastInput,
  BulkAction,
  BulkPreview,
  CancelRequest,
  Category,
  CategoryInput,
  CategoryUpdate,
  ChangePasswordParams,
  ChatoneInstallation,
  ChatoneInstallationChange,
  ChatoneTestTargets,
  ChatthreeEndpoint,
  ChatthreeEndpointChange,
  ChattwoEndpoint,
  ChattwoEndpointChange,
  CreateApiKeyParams,
  CreateApiKeyResult,
  CreateInboxTokenResult,
  CreateInvitationParams,
  CreateOrganizationParams,
  DeleteTemplateBodyParams,
  Device,
  DeviceInput,
  DiscardPendingWebhookDeliveriesResult,
  Freeze,
  FreezeInput,
  GetEmailSettingsResult,
  GetEnvironmentResult,
  GetHealthResult,
  GetMeResult,
  GetOverviewParams,
  GetReadinessResult,
  GetStatusResult,
  GetUserPreferencesResult,
  GetWebhookEndpointHealthParams,
  Hold,
  HoldPreview,
  HoldRelease,
  HoldReleaseInput,
  InboxTokenRequest,
  Invitation,
  InvitationPreview,
  InvitationWithLink,
  Layout,
  LayoutPut,
  LayoutVersion,
  ListApiKeysParams,
  ListApiKeysResult,
  ListAuditEntriesParams,
  ListAuditEntriesResult,
  ListBrakeRulesResult,
  ListBroadcastsParams,
  ListBroadcastsResult,
  ListBulkActionsParams,
  ListBulkActionsResult,
  ListCategoriesParams,
  ListCategoriesResult,
  ListChatoneInstallationsParams,
  ListChatoneInstallationsResult,
  ListChatthreeEndpointsParams,
  ListChatthreeEndpointsResult,
  ListChattwoEndpointsParams,
  ListChattwoEndpointsResult,
  ListEnvironmentsResult,
  ListHoldsResult,
  ListInvitationsParams,
  ListInvitationsResult,
  ListLayoutsParams,
  ListLayoutsResult,
  ListLayoutVersionsParams,
  ListLayoutVersionsResult,
  ListMembersParams,
  ListMembersResult,
  ListMissingTranslationsParams,
  ListMissingTranslationsResult,
  ListNotificationsParams,
  ListNotificationsResult,
  ListPartialsParams,
  ListPartialsResult,
  ListPartialVersionsParams,
  ListPartialVersionsResult,
  ListReleasesParams,
  ListReleasesResult,
  ListSandboxMessagesParams,
  ListSandboxMessagesResult,
  ListScheduleRunsParams,
  ListScheduleRunsResult,
  ListSchedulesParams,
  ListSchedulesResult,
  ListSessionsParams,
  ListSessionsResult,
  ListSuppressionsParams,
  ListSuppressionsResult,
  ListTemplatesParams,
  ListTemplatesResult,
  ListTemplateVersionsParams,
  ListTemplateVersionsResult,
  ListTopicSubscribersParams,
  ListTopicSubscribersResult,
  ListTopicsOfUserResult,
  ListTopicsParams,
  ListTopicsResult,
  ListTranslationsParams,
  ListTranslationsResult,
  ListTranslationVersionsParams,
  ListTranslationVersionsResult,
  ListUserDevicesResult,
  ListUsersParams,
  ListUsersResult,
  ListWebhookAttemptsParams,
  ListWebhookAttemptsResult,
  ListWebhookDeliveriesParams,
  ListWebhookDeliveriesResult,
  ListWebhookEndpointsParams,
  ListWebhookEndpointsResult,
  ListWorkflowRunsParams,
  ListWorkflowRunsResult,
  ListWorkflowsParams,
  ListWorkflowsResult,
  ListWorkflowVersionsParams,
  ListWorkflowVersionsResult,
  LoginParams,
  LookUpInvitationParams,
  Member,
  MissingTranslation,
  NewChatoneInstallation,
  NewChatthreeEndpoint,
  NewChattwoEndpoint,
  NewWebhookEndpoint,
  Notification,
  NotificationContent,
  NotificationPatch,
  Organization,
  Overview,
  PartialPut,
  PartialVersion,
  PartVersion,
  Person,
  Preference,
  PreferenceLink,
  PreviewAudienceParams,
  PriceTable,
  PromoteTemplateParams,
  PromoteWorkflowParams,
  PushSettings,
  PushSettingsRequest,
  PushTestRequest,
  PushTestResult,
  PutTemplateBodyParams,
  QuietHours,
  RecoverWebhookEndpointParams,
  RecoverWebhookEndpointResult,
  RedriveRequest,
  RemoveSuppressionParams,
  RemoveTopicSubscribersResult,
  RenderedTemplate,
  ReplaceEmailSettingsParams,
  ReplaceEmailSettingsResult,
  RotateApiKeyParams,
  RotateApiKeyResult,
  RotateEnvironmentWebhookSecretResult,
  RotateInboxKeyParams,
  RotateInboxKeyResult,
  RunCancellation,
  SandboxMessage,
  SavedTemplateBody,
  Schedule,
  ScheduleCreate,
  ScheduleDetail,
  SchedulePreview,
  ScheduleReplace,
  ScheduleRun,
  ScheduleSimulate,
  ScheduleSimulation,
  ScheduleTimingInput,
  SendNotificationBatchParams,
  SendNotificationBatchResult,
  SendRequest,
  Session,
  SetUserPreferenceParams,
  SetUserPreferencesParams,
  SetUserPreferencesResult,
  SimulatedRun,
  SmsProviders,
  SmsProvidersRequest,
  SmsSettings,
  SmsSettingsRequest,
  StoredPriceTable,
  Suppression,
  SuppressionInput,
  Template,
  TemplateCreate,
  TemplatePartial,
  TemplatePatch,
  TemplatePreview,
  TemplatePreviewRequest,
  TemplatePromotion,
  TemplateRender,
  TemplateVersion,
  TemplateVersionContent,
  TestSent,
  Topic,
  TopicInput,
  TopicSubscriber,
  TopicSubscribers,
  TopicUpdate,
  Trace,
  Translation,
  TranslationPut,
  TranslationSummary,
  TranslationVersion,
  TriggeredRun,
  UnfreezeInput,
  UpdateEmailSettingsParams,
  UpdateEmailSettingsResult,
  UpdateMemberParams,
  UpdateOrganizationParams,
  UpdatePersonParams,
  Usage,
  User,
  UserInput,
  UserTopic,
  VerifyEmailProviderResult,
  VerifySmsProviderResult,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryWithPayload,
  WebhookEndpoint,
  WebhookEndpointChange,
  WebhookEndpointHealth,
  WebhookEndpointWithSecret,
  Workflow,
  WorkflowCreate,
  WorkflowDetail,
  WorkflowEvent,
  WorkflowPatch,
  WorkflowPromotion,
  WorkflowRun,
  WorkflowRunSummary,
  WorkflowSimulate,
  WorkflowTrigger,
  WorkflowValidation,
  WorkflowVersion,
  WorkflowVersionCreate,
  WorkflowVersionSummary,
} from './types.ts';

export interface Api {
  notifications: {
    /**
     * Send a notification.
     *
     * Requires the scope `notifications:send`.
     *
     * `POST /v1/notifications`
     *
     * @example
     * ```ts
     * const result = await client.notifications.send({
     *   channel: 'email',
     *   recipient: { address: 'delivered@sandbox.test' },
     *   subject: 'Hello',
     *   text_body: 'Hello from Carillon.',
     * });
     * ```
     */
    send(params: SendRequest, options?: KeyedOptions): Promise<Notification>;
    /**
     * List notifications, newest first.
     *
     * With several filters, or one by channel or by a frequent status, a page scans a limited number of notifications. When few match, a page may have fewer than `limit` items, or none; continue with `next_cursor` until it is null.
     *
     * Requires the scope `notifications:read`.
     *
     * `GET /v1/notifications`
     *
     * @example
     * ```ts
     * for await (const item of client.notifications.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(
      params?: ListNotificationsParams,
      options?: RequestOptions,
    ): List<Notification, ListNotificationsResult>;
    /**
     * Send up to 500 notifications.
     *
     * Each element is a send request with an optional idempotency_key; the Idempotency-Key header is refused. Elements are independent: an invalid one gets an error at its position and the others are sent. The priority is bulk unless an element sets another one. The limits are 24 MiB and 100,000 JSON values in total, and 10,000 values per element.
     *
     * Requires the scope `notifications:send`.
     *
     * `POST /v1/notifications/batch`
     *
     * @example
     * ```ts
     * const result = await client.notifications.sendBatch({
     *   notifications: [
     *     {
     *       channel: 'email',
     *       recipient: { address: 'delivered@sandbox.test' },
     *       subject: 'Hello',
     *       text_body: 'Hello from Carillon.',
     *       idempotency_key: 'order-1001',
     *     },
     *   ],
     * });
     * ```
     */
    sendBatch(
      params: SendNotificationBatchParams,
      options?: RequestOptions,
    ): Promise<SendNotificationBatchResult>;
    /**
     * Get a notification.
     *
     * Requires the scope `notifications:read`.
     *
     * `GET /v1/notifications/{id}`
     *
     * @example
     * ```ts
     * const result = await client.notifications.get('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    get(id: string, options?: RequestOptions): Promise<Notification>;
    /**
     * Change a queued notification.
     *
     * Requires the scope `notifications:write`.
     *
     * `PATCH /v1/notifications/{id}`
     *
     * @example
     * ```ts
     * const result = await client.notifications.update('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', { send_at: '2030-01-01T09:00:00Z' });
     * ```
     */
    update(id: string, params: NotificationPatch, options?: RequestOptions): Promise<Notification>;
    /**
     * Delete a notification.
     *
     * A queued notification is never sent; for a finished one the content and personal data are erased. Returns 409 while the notification is being sent.
     *
     * Requires the scope `notifications:write`.
     *
     * `DELETE /v1/notifications/{id}`
     *
     * @example
     * ```ts
     * await client.notifications.delete('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    delete(id: string, options?: RequestOptions): Promise<void>;
    /**
     * Send a failed or bounced notification again.
     *
     * Creates a new notification, linked by resent_from.
     *
     * Requires the scope `notifications:send`.
     *
     * `POST /v1/notifications/{id}/resend`
     *
     * @example
     * ```ts
     * const result = await client.notifications.resend('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    resend(id: string, options?: KeyedOptions): Promise<Notification>;
    /**
     * Get the trace of a notification.
     *
     * Explains why the notification did or did not arrive: the verdict of every gate, every provider attempt with its latency and code, and what happens next.
     *
     * Requires the scope `notifications:read`.
     *
     * `GET /v1/notifications/{id}/trace`
     *
     * @example
     * ```ts
     * const result = await client.notifications.trace('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    trace(id: string, options?: RequestOptions): Promise<Trace>;
    /**
     * Resend many failed or bounced notifications.
     *
     * Without `confirm_token` the answer is 200 with a preview: how many match, five of them, and a token that is valid for ten minutes. The same request with the token starts the action (202). It works on notifications that existed at the preview, a slice per second. Each original is redriven at most once, also by several actions. Requires the scope `notifications:send`, too.
     *
     * Requires the scope `notifications:write`.
     *
     * `POST /v1/notifications/redrive`
     *
     * @example
     * ```ts
     * const result = await client.notifications.redrive({ filter: { status: 'failed', reason: 'timeout' } });
     * ```
     */
    redrive(
      params: RedriveRequest & { confirm_token?: undefined },
      options?: RequestOptions,
    ): Promise<BulkPreview>;
    redrive(
      params: RedriveRequest & { confirm_token: string },
      options?: RequestOptions,
    ): Promise<BulkAction>;
    /**
     * Cancel many queued notifications.
     *
     * Without `confirm_token` the answer is 200 with a preview: how many match, five of them, and a token that is valid for ten minutes. The same request with the token starts the action (202). It works on notifications that existed at the preview, a slice per second. Cancelled notifications become `suppressed` with the reason `cancelled`. Those that are being sent are skipped.
     *
     * Requires the scope `notifications:write`.
     *
     * `POST /v1/notifications/cancel`
     *
     * @example
     * ```ts
     * const result = await client.notifications.cancel({ filter: { template_key: 'spring_sale' } });
     * ```
     */
    cancel(
      params: CancelRequest & { confirm_token?: undefined },
      options?: RequestOptions,
    ): Promise<BulkPreview>;
    cancel(params: CancelRequest & { confirm_token: string }, options?: RequestOptions): Promise<BulkAction>;
    /**
     * Get the message as the recipient sees it.
     *
     * The message as it was sent or would be sent now, rendered from the accepted content. The HTML is not sanitised and must only be shown in a sandboxed frame; links and images have no tracking. Sender and reply address follow the current settings unless the sandbox kept the message. Returns 404 once the content is erased.
     *
     * Requires the scope `notifications:read`.
     *
     * `GET /v1/notifications/{id}/content`
     *
     * @example
     * ```ts
     * const result = await client.notifications.getContent('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    getContent(id: string, options?: RequestOptions): Promise<NotificationContent>;
  };
  bulkActions: {
    /**
     * List bulk actions, newest first.
     *
     * Ended actions are deleted after 30 days.
     *
     * Requires the scope `notifications:read`.
     *
     * `GET /v1/bulk-actions`
     *
     * @example
     * ```ts
     * for await (const item of client.bulkActions.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(params?: ListBulkActionsParams, options?: RequestOptions): List<BulkAction, ListBulkActionsResult>;
    /**
     * Get a bulk action with its progress.
     *
     * Requires the scope `notifications:read`.
     *
     * `GET /v1/bulk-actions/{id}`
     *
     * @example
     * ```ts
     * const result = await client.bulkActions.get('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    get(id: string, options?: RequestOptions): Promise<BulkAction>;
    /**
     * Stop a bulk action.
     *
     * What is done stays done. An action that has ended stays as it is.
     *
     * Requires the scope `notifications:write`.
     *
     * `POST /v1/bulk-actions/{id}/cancel`
     *
     * @example
     * ```ts
     * const result = await client.bulkActions.cancel('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    cancel(id: string, options?: RequestOptions): Promise<BulkAction>;
  };
  templates: {
    /**
     * Create a template.
     *
     * Templates are Liquid. HTML fields escape their output, structured fields output JSON, subjects and text are not escaped. The syntax, and the JSON of structured bodies, are validated on save.
     *
     * Requires the scope `templates:write`.
     *
     * `POST /v1/templates`
     *
     * @example
     * ```ts
     * const result = await client.templates.create({
     *   key: 'order_shipped',
     *   name: 'Order shipped',
     *   subject_template: 'Order {{ order }} is on its way',
     *   html_body_template: '<p>Hello {{ name }}, order {{ order }} is on its way.</p>',
     * });
     * ```
     */
    create(params: TemplateCreate, options?: RequestOptions): Promise<Template>;
    /**
     * List templates, newest first.
     *
     * A page may be shorter than limit when the templates are large; continue with next_cursor.
     *
     * Requires the scope `templates:read`.
     *
     * `GET /v1/templates`
     *
     * @example
     * ```ts
     * for await (const item of client.templates.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(params?: ListTemplatesParams, options?: RequestOptions): List<Template, ListTemplatesResult>;
    /**
     * Get a template.
     *
     * Requires the scope `templates:read`.
     *
     * `GET /v1/templates/{key}`
     *
     * @example
     * ```ts
     * const result = await client.templates.get('text');
     * ```
     */
    get(key: string, options?: RequestOptions): Promise<Template>;
    /**
     * Change a template.
     *
     * Creates a new version. Accepted notifications keep their version. In Live the new version uses the current layout, partials and translations.
     *
     * Requires the scope `templates:write`.
     *
     * `PATCH /v1/templates/{key}`
     *
     * @example
     * ```ts
     * const result = await client.templates.update('text', { name: 'Order shipped' });
     * ```
     */
    update(key: string, params: TemplatePatch, options?: GuardedOptions): Promise<Template>;
    /**
     * Delete a template.
     *
     * Accepted notifications are still sent. The key can be used again. Returns 409 `template_in_use` while an active workflow uses the template.
     *
     * Requires the scope `templates:write`.
     *
     * `DELETE /v1/templates/{key}`
     *
     * @example
     * ```ts
     * await client.templates.delete('text');
     * ```
     */
    delete(key: string, options?: RequestOptions): Promise<void>;
    /**
     * Create or replace the body for a channel.
     *
     * Returns 201 for a new body, 200 for a replaced one. With locale, the body is a variant of the default body, which must exist. Fields that the channel does not use are ignored.
     *
     * Requires the scope `templates:write`.
     *
     * `PUT /v1/templates/{key}/bodies/{channel}`
     *
     * @example
     * ```ts
     * const result = await client.templates.putBody('text', 'text', { text_template: 'Order {{ order }} is on its way.' });
     * ```
     */
    putBody(
      key: string,
      channel: string,
      params: PutTemplateBodyParams,
      options?: GuardedOptions,
    ): Promise<SavedTemplateBody>;
    /**
     * Delete the body for a channel.
     *
     * With locale, only that variant is deleted. Without, the body and all its variants.
     *
     * Requires the scope `templates:write`.
     *
     * `DELETE /v1/templates/{key}/bodies/{channel}`
     *
     * @example
     * ```ts
     * await client.templates.deleteBody('text', 'text');
     * ```
     */
    deleteBody(
      key: string,
      channel: string,
      params?: DeleteTemplateBodyParams,
      options?: GuardedOptions,
    ): Promise<void>;
    /**
     * Render a template without sending.
     *
     * Requires the scope `templates:read`.
     *
     * `POST /v1/templates/{key}/render`
     *
     * @example
     * ```ts
     * const result = await client.templates.render('text', { data: { name: 'Ada', order: 'A-1' }, channel: 'email' });
     * ```
     */
    render(key: string, params?: TemplateRender, options?: RequestOptions): Promise<RenderedTemplate>;
    /**
     * Render an unsaved body.
     *
     * For editors: nothing is stored or sent. A syntax error returns 400 template_syntax_error with the field, the line and the column.
     *
     * Requires the scope `templates:read`.
     *
     * `POST /v1/templates/preview`
     *
     * @example
     * ```ts
     * const result = await client.templates.preview({
     *   channel: 'sms',
     *   text_template: 'Order {{ order }} is on its way.',
     *   data: { order: 'A-1' },
     * });
     * ```
     */
    preview(params: TemplatePreviewRequest, options?: RequestOptions): Promise<TemplatePreview>;
    /**
     * List the versions of a template, newest first.
     *
     * Requires the scope `templates:read`.
     *
     * `GET /v1/templates/{key}/versions`
     *
     * @example
     * ```ts
     * for await (const item of client.templates.listVersions('text')) {
     *   console.log(item);
     * }
     * ```
     */
    listVersions(
      key: string,
      params?: ListTemplateVersionsParams,
      options?: RequestOptions,
    ): List<TemplateVersion, ListTemplateVersionsResult>;
    /**
     * Get a version of a template with its content.
     *
     * Requires the scope `templates:read`.
     *
     * `GET /v1/templates/{key}/versions/{version}`
     *
     * @example
     * ```ts
     * const result = await client.templates.getVersion('text', 1);
     * ```
     */
    getVersion(key: string, version: number, options?: RequestOptions): Promise<TemplateVersionContent>;
    /**
     * Restore an old version.
     *
     * The content becomes a new version, so the history is kept.
     *
     * Requires the scope `templates:write`.
     *
     * `POST /v1/templates/{key}/versions/{version}/restore`
     *
     * @example
     * ```ts
     * const result = await client.templates.restoreVersion('text', 1);
     * ```
     */
    restoreVersion(key: string, version: number, options?: GuardedOptions): Promise<Template>;
    /**
     * Copy a template from Test to Live.
     *
     * Requires a Test key. Live then matches Test: bodies that exist only in Live are removed, and the layout, partials and translations that the template uses are copied. Other templates of Live keep the versions that they have. With dry_run, the response only shows what would change.
     *
     * Requires the scope `templates:promote`.
     *
     * `POST /v1/templates/{key}/promote`
     *
     * @example
     * ```ts
     * const result = await client.templates.promote('text', { dry_run: true });
     * ```
     */
    promote(
      key: string,
      params?: PromoteTemplateParams,
      options?: RequestOptions,
    ): Promise<TemplatePromotion>;
  };
  layouts: {
    /**
     * Create or replace a layout.
     *
     * A layout surrounds the bodies of its channel. Returns 201 for a new layout, 200 for a replaced one; equal content creates no version. Templates of Test use the new version at once. Templates of Live keep theirs until they are saved or promoted.
     *
     * Requires the scope `templates:write`.
     *
     * `PUT /v1/layouts/{key}`
     *
     * @example
     * ```ts
     * const result = await client.layouts.put('text', {
     *   channel: 'email',
     *   html_template: '<body>{{ content }}<p>Acme, Rome</p></body>',
     *   text_template: '{{ content }}\nAcme, Rome',
     *   is_default: true,
     * });
     * ```
     */
    put(key: string, params: LayoutPut, options?: GuardedOptions): Promise<Layout>;
    /**
     * Get a layout.
     *
     * Requires the scope `templates:read`.
     *
     * `GET /v1/layouts/{key}`
     *
     * @example
     * ```ts
     * const result = await client.layouts.get('text');
     * ```
     */
    get(key: string, options?: RequestOptions): Promise<Layout>;
    /**
     * Delete a layout.
     *
     * Returns 409 `part_in_use` while a template names the layout.
     *
     * Requires the scope `templates:write`.
     *
     * `DELETE /v1/layouts/{key}`
     *
     * @example
     * ```ts
     * await client.layouts.delete('text');
     * ```
     */
    delete(key: string, options?: RequestOptions): Promise<void>;
    /**
     * List layouts, newest first.
     *
     * A page may be shorter than limit when the layouts are large; continue with next_cursor.
     *
     * Requires the scope `templates:read`.
     *
     * `GET /v1/layouts`
     *
     * @example
     * ```ts
     * for await (const item of client.layouts.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(params?: ListLayoutsParams, options?: RequestOptions): List<Layout, ListLayoutsResult>;
    /**
     * List the versions of a layout, newest first.
     *
     * Requires the scope `templates:read`.
     *
     * `GET /v1/layouts/{key}/versions`
     *
     * @example
     * ```ts
     * for await (const item of client.layouts.listVersions('text')) {
     *   console.log(item);
     * }
     * ```
     */
    listVersions(
      key: string,
      params?: ListLayoutVersionsParams,
      options?: RequestOptions,
    ): List<PartVersion, ListLayoutVersionsResult>;
    /**
     * Get a version of a layout with its content.
     *
     * Requires the scope `templates:read`.
     *
     * `GET /v1/layouts/{key}/versions/{version}`
     *
     * @example
     * ```ts
     * const result = await client.layouts.getVersion('text', 1);
     * ```
     */
    getVersion(key: string, version: number, options?: RequestOptions): Promise<LayoutVersion>;
    /**
     * Restore an old version of a layout.
     *
     * The content becomes a new version, so the history is kept.
     *
     * Requires the scope `templates:write`.
     *
     * `POST /v1/layouts/{key}/versions/{version}/restore`
     *
     * @example
     * ```ts
     * const result = await client.layouts.restoreVersion('text', 1);
     * ```
     */
    restoreVersion(key: string, version: number, options?: GuardedOptions): Promise<Layout>;
  };
  partials: {
    /**
     * Create or replace a partial.
     *
     * A piece that templates, layouts and other partials include with `{% render 'key' %}`. Returns 201 for a new partial, 200 for a replaced one; equal content creates no version. Templates of Test use the new version at once. Templates of Live keep theirs until they are saved or promoted.
     *
     * Requires the scope `templates:write`.
     *
     * `PUT /v1/partials/{key}`
     *
     * @example
     * ```ts
     * const result = await client.partials.put('text', { template: '<p>Questions? Write to {{ support }}.</p>' });
     * ```
     */
    put(key: string, params: PartialPut, options?: GuardedOptions): Promise<TemplatePartial>;
    /**
     * Get a partial.
     *
     * Requires the scope `templates:read`.
     *
     * `GET /v1/partials/{key}`
     *
     * @example
     * ```ts
     * const result = await client.partials.get('text');
     * ```
     */
    get(key: string, options?: RequestOptions): Promise<TemplatePartial>;
    /**
     * Delete a partial.
     *
     * Returns 409 `part_in_use` while a template, layout or partial renders it.
     *
     * Requires the scope `templates:write`.
     *
     * `DELETE /v1/partials/{key}`
     *
     * @example
     * ```ts
     * await client.partials.delete('text');
     * ```
     */
    delete(key: string, options?: RequestOptions): Promise<void>;
    /**
     * List partials, newest first.
     *
     * A page may be shorter than limit when the partials are large; continue with next_cursor.
     *
     * Requires the scope `templates:read`.
     *
     * `GET /v1/partials`
     *
     * @example
     * ```ts
     * for await (const item of client.partials.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(params?: ListPartialsParams, options?: RequestOptions): List<TemplatePartial, ListPartialsResult>;
    /**
     * List the versions of a partial, newest first.
     *
     * Requires the scope `templates:read`.
     *
     * `GET /v1/partials/{key}/versions`
     *
     * @example
     * ```ts
     * for await (const item of client.partials.listVersions('text')) {
     *   console.log(item);
     * }
     * ```
     */
    listVersions(
      key: string,
      params?: ListPartialVersionsParams,
      options?: RequestOptions,
    ): List<PartVersion, ListPartialVersionsResult>;
    /**
     * Get a version of a partial with its content.
     *
     * Requires the scope `templates:read`.
     *
     * `GET /v1/partials/{key}/versions/{version}`
     *
     * @example
     * ```ts
     * const result = await client.partials.getVersion('text', 1);
     * ```
     */
    getVersion(key: string, version: number, options?: RequestOptions): Promise<PartialVersion>;
    /**
     * Restore an old version of a partial.
     *
     * The content becomes a new version, so the history is kept.
     *
     * Requires the scope `templates:write`.
     *
     * `POST /v1/partials/{key}/versions/{version}/restore`
     *
     * @example
     * ```ts
     * const result = await client.partials.restoreVersion('text', 1);
     * ```
     */
    restoreVersion(key: string, version: number, options?: GuardedOptions): Promise<TemplatePartial>;
  };
  translations: {
    /**
     * Create or replace the translations of a locale.
     *
     * The messages that `{{ 'key' | t }}` shows to recipients of this locale. Returns 201 for a new locale, 200 for a replaced one; equal messages create no version. Templates of Test use the new version at once. Templates of Live keep theirs until they are saved or promoted.
     *
     * Requires the scope `templates:write`.
     *
     * `PUT /v1/translations/{locale}`
     *
     * @example
     * ```ts
     * const result = await client.translations.put('text', {
     *   messages: { order: { shipped: 'Shipped to %{city}' } },
     *   is_default: true,
     * });
     * ```
     */
    put(locale: string, params: TranslationPut, options?: GuardedOptions): Promise<Translation>;
    /**
     * Get the translations of a locale.
     *
     * Requires the scope `templates:read`.
     *
     * `GET /v1/translations/{locale}`
     *
     * @example
     * ```ts
     * const result = await client.translations.get('text');
     * ```
     */
    get(locale: string, options?: RequestOptions): Promise<Translation>;
    /**
     * Delete the translations of a locale.
     *
     * Returns 409 `part_in_use` for the default locale while there are others.
     *
     * Requires the scope `templates:write`.
     *
     * `DELETE /v1/translations/{locale}`
     *
     * @example
     * ```ts
     * await client.translations.delete('text');
     * ```
     */
    delete(locale: string, options?: RequestOptions): Promise<void>;
    /**
     * List the locales that have translations, newest first.
     *
     * Without the messages. `missing_count` shows how complete each locale is.
     *
     * Requires the scope `templates:read`.
     *
     * `GET /v1/translations`
     *
     * @example
     * ```ts
     * for await (const item of client.translations.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(
      params?: ListTranslationsParams,
      options?: RequestOptions,
    ): List<TranslationSummary, ListTranslationsResult>;
    /**
     * List missing translations.
     *
     * Keys of the default locale, or used by templates, layouts and partials, that a locale and its parents lack; ordered by locale and key. A key that a template computes is not known here.
     *
     * Requires the scope `templates:read`.
     *
     * `GET /v1/translations/missing`
     *
     * @example
     * ```ts
     * for await (const item of client.translations.listMissing()) {
     *   console.log(item);
     * }
     * ```
     */
    listMissing(
      params?: ListMissingTranslationsParams,
      options?: RequestOptions,
    ): List<MissingTranslation, ListMissingTranslationsResult>;
    /**
     * List the versions of a locale, newest first.
     *
     * Requires the scope `templates:read`.
     *
     * `GET /v1/translations/{locale}/versions`
     *
     * @example
     * ```ts
     * for await (const item of client.translations.listVersions('text')) {
     *   console.log(item);
     * }
     * ```
     */
    listVersions(
      locale: string,
      params?: ListTranslationVersionsParams,
      options?: RequestOptions,
    ): List<PartVersion, ListTranslationVersionsResult>;
    /**
     * Get a version of the translations of a locale.
     *
     * Requires the scope `templates:read`.
     *
     * `GET /v1/translations/{locale}/versions/{version}`
     *
     * @example
     * ```ts
     * const result = await client.translations.getVersion('text', 1);
     * ```
     */
    getVersion(locale: string, version: number, options?: RequestOptions): Promise<TranslationVersion>;
    /**
     * Restore an old version of the translations of a locale.
     *
     * The messages become a new version, so the history is kept.
     *
     * Requires the scope `templates:write`.
     *
     * `POST /v1/translations/{locale}/versions/{version}/restore`
     *
     * @example
     * ```ts
     * const result = await client.translations.restoreVersion('text', 1);
     * ```
     */
    restoreVersion(locale: string, version: number, options?: GuardedOptions): Promise<Translation>;
  };
  categories: {
    /**
     * Create a category.
     *
     * The topic of a notification, so that users can choose what they receive. `default_opt_in` defaults to true; users without a preference receive the category on its `default_channels`.
     *
     * Requires the scope `preferences:write`.
     *
     * `POST /v1/preferences/categories`
     *
     * @example
     * ```ts
     * const result = await client.categories.create({
     *   key: 'product_news',
     *   name: 'Product news',
     *   default_channels: ['email', 'in_app'],
     * });
     * ```
     */
    create(params: CategoryInput, options?: RequestOptions): Promise<Category>;
    /**
     * List categories.
     *
     * Requires the scope `preferences:read`.
     *
     * `GET /v1/preferences/categories`
     *
     * @example
     * ```ts
     * for await (const item of client.categories.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(params?: ListCategoriesParams, options?: RequestOptions): List<Category, ListCategoriesResult>;
    /**
     * Get a category.
     *
     * Requires the scope `preferences:read`.
     *
     * `GET /v1/preferences/categories/{key}`
     *
     * @example
     * ```ts
     * const result = await client.categories.get('text');
     * ```
     */
    get(key: string, options?: RequestOptions): Promise<Category>;
    /**
     * Change a category.
     *
     * An archived category stays archived unless you set `is_archived` to false; then it can be used again. `is_critical` cannot be changed.
     *
     * Requires the scope `preferences:write`.
     *
     * `PUT /v1/preferences/categories/{key}`
     *
     * @example
     * ```ts
     * const result = await client.categories.replace('text', {
     *   name: 'Product news',
     *   description: null,
     *   default_channels: ['email'],
     *   default_opt_in: true,
     * });
     * ```
     */
    replace(key: string, params: CategoryUpdate, options?: RequestOptions): Promise<Category>;
    /**
     * Archive a category.
     *
     * New sends with this category are rejected. Accepted notifications are still sent, and preferences are kept: unsubscribe links in old emails keep working, and the key stays reserved.
     *
     * Requires the scope `preferences:write`.
     *
     * `DELETE /v1/preferences/categories/{key}`
     *
     * @example
     * ```ts
     * await client.categories.archive('text');
     * ```
     */
    archive(key: string, options?: RequestOptions): Promise<void>;
  };
  preferences: {
    /**
     * Get the preferences of a user.
     *
     * Every category × channel with its effective value: the choice of the user, or else the default of the category. The user is the `external_user_id` of the recipient, or else the address. Users do not need to be registered. Archived categories are not included.
     *
     * Requires the scope `preferences:read`.
     *
     * `GET /v1/preferences/users/{externalUserId}`
     *
     * @example
     * ```ts
     * const result = await client.preferences.get('text');
     * ```
     */
    get(externalUserId: string, options?: RequestOptions): Promise<GetUserPreferencesResult>;
    /**
     * Set several preferences of a user.
     *
     * All or nothing: if one element is invalid, none is set. Other preferences stay unchanged. Returns every preference of the user.
     *
     * Requires the scope `preferences:write`.
     *
     * `PUT /v1/preferences/users/{externalUserId}`
     *
     * @example
     * ```ts
     * const result = await client.preferences.setMany('text', {
     *   preferences: [{ category_key: 'product_news', channel: 'email', opted_in: false }],
     * });
     * ```
     */
    setMany(
      externalUserId: string,
      params: SetUserPreferencesParams,
      options?: RequestOptions,
    ): Promise<SetUserPreferencesResult>;
    /**
     * Set one preference of a user.
     *
     * Requires the scope `preferences:write`.
     *
     * `PATCH /v1/preferences/users/{externalUserId}/{categoryKey}/{channel}`
     *
     * @example
     * ```ts
     * const result = await client.preferences.set('text', 'text', 'text', { opted_in: false });
     * ```
     */
    set(
      externalUserId: string,
      categoryKey: string,
      channel: string,
      params: SetUserPreferenceParams,
      options?: RequestOptions,
    ): Promise<Preference>;
    /**
     * Get the quiet hours of a user.
     *
     * Requires the scope `preferences:read`.
     *
     * `GET /v1/preferences/users/{externalUserId}/quiet-hours`
     *
     * @example
     * ```ts
     * const result = await client.preferences.getQuietHours('text');
     * ```
     */
    getQuietHours(externalUserId: string, options?: RequestOptions): Promise<QuietHours>;
    /**
     * Set the quiet hours of a user.
     *
     * Sends with a non-critical category wait until the local end of the window; the trace shows it. A window that ends before it starts spans midnight. The local time decides, including daylight saving time.
     *
     * Requires the scope `preferences:write`.
     *
     * `PUT /v1/preferences/users/{externalUserId}/quiet-hours`
     *
     * @example
     * ```ts
     * const result = await client.preferences.setQuietHours('text', { start_local: '22:00', end_local: '07:00', timezone: 'Europe/Rome' });
     * ```
     */
    setQuietHours(externalUserId: string, params: QuietHours, options?: RequestOptions): Promise<QuietHours>;
    /**
     * Remove the quiet hours of a user.
     *
     * Notifications that are already waiting keep their time.
     *
     * Requires the scope `preferences:write`.
     *
     * `DELETE /v1/preferences/users/{externalUserId}/quiet-hours`
     *
     * @example
     * ```ts
     * await client.preferences.deleteQuietHours('text');
     * ```
     */
    deleteQuietHours(externalUserId: string, options?: RequestOptions): Promise<void>;
    /**
     * Get the brand of the environment.
     *
     * How the unsubscribe page and the preference page look to recipients.
     *
     * Requires the scope `preferences:read`.
     *
     * `GET /v1/brand`
     *
     * @example
     * ```ts
     * const result = await client.preferences.getBrand();
     * ```
     */
    getBrand(options?: RequestOptions): Promise<Brand>;
    /**
     * Replace the brand of the environment.
     *
     * Omitted fields become null: the pages then show no name or logo, and the default colour.
     *
     * Requires the scope `preferences:write`.
     *
     * `PUT /v1/brand`
     *
     * @example
     * ```ts
     * const result = await client.preferences.replaceBrand({
     *   name: 'Acme',
     *   logo_url: 'https://acme.example/logo.svg',
     *   accent_color: '#7a3b00',
     * });
     * ```
     */
    replaceBrand(params: BrandInput, options?: RequestOptions): Promise<Brand>;
    /**
     * Get the link to the preference page of a user.
     *
     * Everybody with the link can change the preferences of the user, so give it to the user alone. It is the same every time and does not expire. Templates of email with a category show it as `{{ preferences_url }}`.
     *
     * Requires the scope `preferences:write`.
     *
     * `GET /v1/preferences/users/{externalUserId}/link`
     *
     * @example
     * ```ts
     * const result = await client.preferences.getLink('text');
     * ```
     */
    getLink(externalUserId: string, options?: RequestOptions): Promise<PreferenceLink>;
  };
  suppressions: {
    /**
     * List suppressed addresses.
     *
     * Email addresses and phone numbers that nothing is sent to, newest first. Hard bounces and complaints are added automatically; policy rejections (spam, authentication, reputation) are not.
     *
     * Requires the scope `suppressions:read`.
     *
     * `GET /v1/suppressions`
     *
     * @example
     * ```ts
     * for await (const item of client.suppressions.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(
      params?: ListSuppressionsParams,
      options?: RequestOptions,
    ): List<Suppression, ListSuppressionsResult>;
    /**
     * Suppress an address.
     *
     * Returns 201 for a new address, and 200 with the existing entry if the address is already suppressed.
     *
     * Requires the scope `suppressions:write`.
     *
     * `POST /v1/suppressions`
     *
     * @example
     * ```ts
     * const result = await client.suppressions.add({ address: 'ada@example.com' });
     * ```
     */
    add(params: SuppressionInput, options?: RequestOptions): Promise<Suppression>;
    /**
     * Get the suppression of an address.
     *
     * Requires the scope `suppressions:read`.
     *
     * `GET /v1/suppressions/{address}`
     *
     * @example
     * ```ts
     * const result = await client.suppressions.get('text');
     * ```
     */
    get(address: string, options?: RequestOptions): Promise<Suppression>;
    /**
     * Remove a suppression.
     *
     * Requires the scope `suppressions:write`.
     *
     * `DELETE /v1/suppressions/{address}`
     *
     * @example
     * ```ts
     * await client.suppressions.remove('text');
     * ```
     */
    remove(address: string, params?: RemoveSuppressionParams, options?: RequestOptions): Promise<void>;
  };
  users: {
    /**
     * List users, newest first.
     *
     * Requires the scope `preferences:read`.
     *
     * `GET /v1/users`
     *
     * @example
     * ```ts
     * for await (const item of client.users.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(params?: ListUsersParams, options?: RequestOptions): List<User, ListUsersResult>;
    /**
     * Get a user.
     *
     * Includes addresses stored by sends with both an `external_user_id` and an address.
     *
     * Requires the scope `preferences:read`.
     *
     * `GET /v1/users/{externalUserId}`
     *
     * @example
     * ```ts
     * const result = await client.users.get('text');
     * ```
     */
    get(externalUserId: string, options?: RequestOptions): Promise<User>;
    /**
     * Store a user.
     *
     * Later sends to this user need only the `external_user_id`. Omitted fields are cleared. A later send with the user and another address replaces the address of that channel.
     *
     * Requires the scope `preferences:write`.
     *
     * `PUT /v1/users/{externalUserId}`
     *
     * @example
     * ```ts
     * const result = await client.users.replace('text', {
     *   email: 'ada@example.com',
     *   name: 'Ada Lovelace',
     *   locale: 'en-GB',
     *   attributes: { plan: 'pro' },
     * });
     * ```
     */
    replace(externalUserId: string, params: UserInput, options?: RequestOptions): Promise<User>;
    /**
     * Erase a user.
     *
     * Deletes addresses, preferences and quiet hours. Past notifications keep their status and lose recipient, content and all details; queued notifications are never sent. Sends to only an address stored for the user are included. Suppressions and usage counters are kept. A history of more than about 10,000 notifications is erased in the background. Returns 204 even if the user is unknown.
     *
     * Requires the scope `preferences:write`.
     *
     * `DELETE /v1/users/{externalUserId}`
     *
     * @example
     * ```ts
     * await client.users.erase('text');
     * ```
     */
    erase(externalUserId: string, options?: RequestOptions): Promise<void>;
    /**
     * List the devices of a user.
     *
     * All of them, the last registered first. Endpoints and tokens are not shown.
     *
     * Requires the scope `preferences:read`.
     *
     * `GET /v1/users/{externalUserId}/devices`
     *
     * @example
     * ```ts
     * for await (const item of client.users.listDevices('text')) {
     *   console.log(item);
     * }
     * ```
     */
    listDevices(externalUserId: string, options?: RequestOptions): List<Device, ListUserDevicesResult>;
    /**
     * Register a device of a user.
     *
     * For servers that collect the tokens of their apps, and for moving from another system.
     *
     * Requires the scope `preferences:write`.
     *
     * `PUT /v1/users/{externalUserId}/devices`
     *
     * @example
     * ```ts
     * const result = await client.users.registerDevice('text', {
     *   kind: 'web_push',
     *   endpoint: 'https://updates.push.services.mozilla.com/wpush/v2/gAAAAA',
     *   keys: {
     *     p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
     *     auth: 'BTBZMqHH6r4Tts7J_aSIgg',
     *   },
     *   label: 'Firefox on Linux',
     * });
     * ```
     */
    registerDevice(externalUserId: string, params: DeviceInput, options?: RequestOptions): Promise<Device>;
    /**
     * Remove a device of a user.
     *
     * Requires the scope `preferences:write`.
     *
     * `DELETE /v1/users/{externalUserId}/devices/{id}`
     *
     * @example
     * ```ts
     * await client.users.deleteDevice('text', '0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    deleteDevice(externalUserId: string, id: string, options?: RequestOptions): Promise<void>;
  };
  topics: {
    /**
     * Create a topic.
     *
     * Something that users can follow, and that a broadcast can be sent to.
     *
     * Requires the scope `audiences:write`.
     *
     * `POST /v1/topics`
     *
     * @example
     * ```ts
     * const result = await client.topics.create({ key: 'release_notes', name: 'Release notes' });
     * ```
     */
    create(params: TopicInput, options?: RequestOptions): Promise<Topic>;
    /**
     * List topics, newest first.
     *
     * Requires the scope `audiences:read`.
     *
     * `GET /v1/topics`
     *
     * @example
     * ```ts
     * for await (const item of client.topics.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(params?: ListTopicsParams, options?: RequestOptions): List<Topic, ListTopicsResult>;
    /**
     * Get a topic.
     *
     * Requires the scope `audiences:read`.
     *
     * `GET /v1/topics/{key}`
     *
     * @example
     * ```ts
     * const result = await client.topics.get('text');
     * ```
     */
    get(key: string, options?: RequestOptions): Promise<Topic>;
    /**
     * Change a topic.
     *
     * Requires the scope `audiences:write`.
     *
     * `PUT /v1/topics/{key}`
     *
     * @example
     * ```ts
     * const result = await client.topics.replace('text', { name: 'Release notes', description: 'What changed in each version' });
     * ```
     */
    replace(key: string, params: TopicUpdate, options?: RequestOptions): Promise<Topic>;
    /**
     * Delete a topic.
     *
     * Its subscribers are removed with it. A broadcast to the topic that is running ends early.
     *
     * Requires the scope `audiences:write`.
     *
     * `DELETE /v1/topics/{key}`
     *
     * @example
     * ```ts
     * await client.topics.delete('text');
     * ```
     */
    delete(key: string, options?: RequestOptions): Promise<void>;
    /**
     * List the users who follow a topic.
     *
     * Requires the scope `audiences:read`.
     *
     * `GET /v1/topics/{key}/subscribers`
     *
     * @example
     * ```ts
     * for await (const item of client.topics.listSubscribers('text')) {
     *   console.log(item);
     * }
     * ```
     */
    listSubscribers(
      key: string,
      params?: ListTopicSubscribersParams,
      options?: RequestOptions,
    ): List<TopicSubscriber, ListTopicSubscribersResult>;
    /**
     * Add subscribers to a topic.
     *
     * Up to 10,000 users. Users who follow the topic already stay as they are, so the call can be repeated. Users who are not stored yet are stored without an address.
     *
     * Requires the scope `audiences:write`.
     *
     * `POST /v1/topics/{key}/subscribers`
     *
     * @example
     * ```ts
     * const result = await client.topics.addSubscribers('text', { external_user_ids: ['ada', 'grace'] });
     * ```
     */
    addSubscribers(
      key: string,
      params: TopicSubscribers,
      options?: RequestOptions,
    ): Promise<AddTopicSubscribersResult>;
    /**
     * Remove subscribers from a topic.
     *
     * Up to 10,000 users; those who do not follow the topic are ignored.
     *
     * Requires the scope `audiences:write`.
     *
     * `POST /v1/topics/{key}/subscribers/remove`
     *
     * @example
     * ```ts
     * const result = await client.topics.removeSubscribers('text', { external_user_ids: ['ada', 'grace'] });
     * ```
     */
    removeSubscribers(
      key: string,
      params: TopicSubscribers,
      options?: RequestOptions,
    ): Promise<RemoveTopicSubscribersResult>;
    /**
     * Add one subscriber to a topic.
     *
     * Requires the scope `audiences:write`.
     *
     * `PUT /v1/topics/{key}/subscribers/{externalUserId}`
     *
     * @example
     * ```ts
     * await client.topics.subscribe('text', 'text');
     * ```
     */
    subscribe(key: string, externalUserId: string, options?: RequestOptions): Promise<void>;
    /**
     * Remove one subscriber from a topic.
     *
     * Returns 204 even if the user does not follow the topic.
     *
     * Requires the scope `audiences:write`.
     *
     * `DELETE /v1/topics/{key}/subscribers/{externalUserId}`
     *
     * @example
     * ```ts
     * await client.topics.unsubscribe('text', 'text');
     * ```
     */
    unsubscribe(key: string, externalUserId: string, options?: RequestOptions): Promise<void>;
    /**
     * List the topics that a user follows.
     *
     * Requires the scope `audiences:read`.
     *
     * `GET /v1/users/{externalUserId}/topics`
     *
     * @example
     * ```ts
     * for await (const item of client.topics.listOfUser('text')) {
     *   console.log(item);
     * }
     * ```
     */
    listOfUser(externalUserId: string, options?: RequestOptions): List<UserTopic, ListTopicsOfUserResult>;
  };
  audiences: {
    /**
     * Count the users of an audience.
     *
     * For an audience of a broadcast before it exists. `POST /v1/broadcasts/dry-run` tells more.
     *
     * Requires the scope `audiences:read`.
     *
     * `POST /v1/audiences/preview`
     *
     * @example
     * ```ts
     * const result = await client.audiences.preview({ audience: { topic: 'release_notes' } });
     * ```
     */
    preview(params: PreviewAudienceParams, options?: RequestOptions): Promise<AudiencePreview>;
  };
  broadcasts: {
    /**
     * Send to an audience.
     *
     * Sends one notification to each user of the audience, once, in the bulk lane. The template version is pinned; preferences, suppressions and quiet hours are read at each send. Make a dry run first.
     *
     * Requires the scope `broadcasts:write`.
     *
     * `POST /v1/broadcasts`
     *
     * @example
     * ```ts
     * const result = await client.broadcasts.create({
     *   name: 'Release 4.2',
     *   channels: ['email', 'in_app'],
     *   audience: { topic: 'release_notes' },
     *   template_key: 'release',
     * });
     * ```
     */
    create(params: BroadcastInput, options?: KeyedOptions): Promise<Broadcast>;
    /**
     * List broadcasts, newest first.
     *
     * Requires the scope `broadcasts:read`.
     *
     * `GET /v1/broadcasts`
     *
     * @example
     * ```ts
     * for await (const item of client.broadcasts.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(params?: ListBroadcastsParams, options?: RequestOptions): List<Broadcast, ListBroadcastsResult>;
    /**
     * Show what a broadcast would do.
     *
     * Takes the body of `POST /v1/broadcasts` and sends nothing. Counts the audience, judges it by suppressions, preferences, quiet hours and the rules of the brake as the sends would be, and renders five of them. Nothing is counted.
     *
     * Requires the scope `broadcasts:read`.
     *
     * `POST /v1/broadcasts/dry-run`
     *
     * @example
     * ```ts
     * const result = await client.broadcasts.dryRun({
     *   name: 'Release 4.2',
     *   channels: ['email', 'in_app'],
     *   audience: { topic: 'release_notes' },
     *   template_key: 'release',
     * });
     * ```
     */
    dryRun(params: BroadcastInput, options?: RequestOptions): Promise<BroadcastDryRun>;
    /**
     * Get a broadcast with its progress.
     *
     * Requires the scope `broadcasts:read`.
     *
     * `GET /v1/broadcasts/{id}`
     *
     * @example
     * ```ts
     * const result = await client.broadcasts.get('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    get(id: string, options?: RequestOptions): Promise<Broadcast>;
    /**
     * Pause a broadcast.
     *
     * No more notifications are created, and those in the queue wait. Those being sent are finished. Pausing a paused broadcast changes nothing.
     *
     * Requires the scope `broadcasts:write`.
     *
     * `POST /v1/broadcasts/{id}/pause`
     *
     * @example
     * ```ts
     * const result = await client.broadcasts.pause('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    pause(id: string, options?: RequestOptions): Promise<Broadcast>;
    /**
     * Resume a broadcast.
     *
     * Continues where the broadcast was paused. Nobody gets it twice.
     *
     * Requires the scope `broadcasts:write`.
     *
     * `POST /v1/broadcasts/{id}/resume`
     *
     * @example
     * ```ts
     * const result = await client.broadcasts.resume('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    resume(id: string, options?: RequestOptions): Promise<Broadcast>;
    /**
     * Cancel a broadcast.
     *
     * No more notifications are created, and those in the queue are suppressed with the reason `broadcast_cancelled`. Those being sent are finished.
     *
     * Requires the scope `broadcasts:write`.
     *
     * `POST /v1/broadcasts/{id}/cancel`
     *
     * @example
     * ```ts
     * const result = await client.broadcasts.cancel('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    cancel(id: string, options?: RequestOptions): Promise<Broadcast>;
  };
  usage: {
    /**
     * Get the usage of this month.
     *
     * Notifications that the Live environments of the organization accepted since the beginning of the month (UTC). Suppressed, failed and deleted notifications count, and a resend counts again. Test sends do not count. The limit of a plan applies per owner: all organizations with the same owner share it.
     *
     * Requires any valid key.
     *
     * `GET /v1/usage`
     *
     * @example
     * ```ts
     * const result = await client.usage.get();
     * ```
     */
    get(options?: RequestOptions): Promise<Usage>;
  };
  brake: {
    /**
     * Get the state of the brake.
     *
     * Freezes, the rules that stop notifications at present, how much is held, and running releases.
     *
     * Requires the scope `brake:read`.
     *
     * `GET /v1/brake`
     *
     * @example
     * ```ts
     * const result = await client.brake.get();
     * ```
     */
    get(options?: RequestOptions): Promise<BrakeStatus>;
    /**
     * List the rules.
     *
     * All rules in one page, by key; default rules included.
     *
     * Requires the scope `brake:read`.
     *
     * `GET /v1/brake/rules`
     *
     * @example
     * ```ts
     * for await (const item of client.brake.listRules()) {
     *   console.log(item);
     * }
     * ```
     */
    listRules(options?: RequestOptions): List<BrakeRule, ListBrakeRulesResult>;
    /**
     * Get a rule.
     *
     * Requires the scope `brake:read`.
     *
     * `GET /v1/brake/rules/{key}`
     *
     * @example
     * ```ts
     * const result = await client.brake.getRule('text');
     * ```
     */
    getRule(key: string, options?: RequestOptions): Promise<BrakeRule>;
    /**
     * Create or replace a rule.
     *
     * The rule holds in every process within a second. Fields that are left out get their defaults. A rule with the key of a default rule replaces it.
     *
     * Requires the scope `brake:write`.
     *
     * `PUT /v1/brake/rules/{key}`
     *
     * @example
     * ```ts
     * const result = await client.brake.putRule('text', {
     *   name: 'Three marketing messages a day',
     *   scope: 'recipient',
     *   match: { category: 'marketing' },
     *   window: 'day',
     *   limit: 3,
     *   action: 'delay',
     * });
     * ```
     */
    putRule(key: string, params: BrakeRuleInput, options?: RequestOptions): Promise<BrakeRule>;
    /**
     * Delete a rule.
     *
     * What the rule holds stays held until you release or cancel it, or until it expires. A default rule that it replaced is in force again.
     *
     * Requires the scope `brake:write`.
     *
     * `DELETE /v1/brake/rules/{key}`
     *
     * @example
     * ```ts
     * await client.brake.deleteRule('text');
     * ```
     */
    deleteRule(key: string, options?: RequestOptions): Promise<void>;
    /**
     * Freeze the environment or a channel.
     *
     * Everything but critical notifications is held within two seconds, in every process. New sends are still accepted. Returns 201, or 200 when it was frozen already.
     *
     * Requires the scope `brake:write`.
     *
     * `POST /v1/brake/freeze`
     *
     * @example
     * ```ts
     * const result = await client.brake.freeze({ channel: 'sms', reason: 'A loop in the reminder job' });
     * ```
     */
    freeze(params?: FreezeInput, options?: RequestOptions): Promise<Freeze>;
    /**
     * Unfreeze the environment or a channel.
     *
     * Releases what the freeze held, the oldest first and paced. To drop it instead, cancel the hold before you unfreeze.
     *
     * Requires the scope `brake:write`.
     *
     * `POST /v1/brake/unfreeze`
     *
     * @example
     * ```ts
     * const result = await client.brake.unfreeze({ channel: 'sms' });
     * ```
     */
    unfreeze(params?: UnfreezeInput, options?: RequestOptions): Promise<HoldRelease>;
    /**
     * List what is held.
     *
     * One entry for each rule or freeze that holds notifications, with the oldest of them.
     *
     * Requires the scope `brake:read`.
     *
     * `GET /v1/brake/holds`
     *
     * @example
     * ```ts
     * for await (const item of client.brake.listHolds()) {
     *   console.log(item);
     * }
     * ```
     */
    listHolds(options?: RequestOptions): List<Hold, ListHoldsResult>;
    /**
     * Preview what a release would send.
     *
     * How many notifications, to how many recipients, and the messages of the oldest five.
     *
     * Requires the scope `brake:read`.
     *
     * `GET /v1/brake/holds/{hold}`
     *
     * @example
     * ```ts
     * const result = await client.brake.previewHold('text');
     * ```
     */
    previewHold(hold: string, options?: RequestOptions): Promise<HoldPreview>;
    /**
     * Release or cancel what is held.
     *
     * Works on what is held now, at most 500 a second for each release. Preferences and suppressions are checked again when a notification is sent. Each notification is released once, however many releases run.
     *
     * Requires the scope `brake:write`.
     *
     * `POST /v1/brake/holds/{hold}/release`
     *
     * @example
     * ```ts
     * const result = await client.brake.releaseHold('text', { action: 'release', limit: 100 });
     * ```
     */
    releaseHold(hold: string, params: HoldReleaseInput, options?: RequestOptions): Promise<HoldRelease>;
    /**
     * List releases.
     *
     * Requires the scope `brake:read`.
     *
     * `GET /v1/brake/releases`
     *
     * @example
     * ```ts
     * for await (const item of client.brake.listReleases()) {
     *   console.log(item);
     * }
     * ```
     */
    listReleases(
      params?: ListReleasesParams,
      options?: RequestOptions,
    ): List<HoldRelease, ListReleasesResult>;
    /**
     * Get a release with its progress.
     *
     * Requires the scope `brake:read`.
     *
     * `GET /v1/brake/releases/{id}`
     *
     * @example
     * ```ts
     * const result = await client.brake.getRelease('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    getRelease(id: string, options?: RequestOptions): Promise<HoldRelease>;
    /**
     * Stop a release.
     *
     * What it has not released yet stays held.
     *
     * Requires the scope `brake:write`.
     *
     * `POST /v1/brake/releases/{id}/stop`
     *
     * @example
     * ```ts
     * const result = await client.brake.stopRelease('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    stopRelease(id: string, options?: RequestOptions): Promise<HoldRelease>;
    /**
     * Get the prices of messages.
     *
     * Requires the scope `brake:read`.
     *
     * `GET /v1/prices`
     *
     * @example
     * ```ts
     * const result = await client.brake.getPrices();
     * ```
     */
    getPrices(options?: RequestOptions): Promise<StoredPriceTable>;
    /**
     * Replace the prices of messages.
     *
     * For the estimate in GET /v1/usage and for budget rules (`unit: money`). The whole table is replaced; an empty one turns estimates off. A text message costs the price for each of its segments: 160 characters of the GSM alphabet (153 each of several), otherwise 70 (67).
     *
     * Requires the scope `brake:write`.
     *
     * `PUT /v1/prices`
     *
     * @example
     * ```ts
     * const result = await client.brake.replacePrices({
     *   currency: 'EUR',
     *   prices: [{ channel: 'sms', prefix: '+49', price_micros: 75000 }],
     * });
     * ```
     */
    replacePrices(params: PriceTable, options?: RequestOptions): Promise<StoredPriceTable>;
  };
  inboxTokens: {
    /**
     * Create an end-user token.
     *
     * For the browser or device of one user. You can also create tokens without a call, with the signing key: HS256, `iss` the environment id, `sub` the user id, `scope`, `iat` and `exp`.
     *
     * Requires the scope `notifications:send`.
     *
     * `POST /v1/inbox/tokens`
     *
     * @example
     * ```ts
     * const result = await client.inboxTokens.create({ external_user_id: 'user-1815', scope: 'inbox', ttl_seconds: 900 });
     * ```
     */
    create(params: InboxTokenRequest, options?: RequestOptions): Promise<CreateInboxTokenResult>;
    /**
     * Replace the inbox signing key.
     *
     * The new key is shown only once. Tokens signed with earlier keys stay valid during the overlap (24 hours) until they expire.
     *
     * Requires the scope `keys:write`.
     *
     * `POST /v1/environments/{envId}/inbox-key/rotate`
     *
     * @example
     * ```ts
     * const result = await client.inboxTokens.rotateKey('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', { overlap_seconds: 86400 });
     * ```
     */
    rotateKey(
      envId: string,
      params?: RotateInboxKeyParams,
      options?: RequestOptions,
    ): Promise<RotateInboxKeyResult>;
  };
  pushSettings: {
    /**
     * Test the push settings of an environment.
     *
     * Asks Apple and Google whether they accept the keys. With a user, it also rings the devices of the user, in Test environments too.
     *
     * Requires the scope `channels:write`.
     *
     * `POST /v1/environments/{envId}/push-settings/test`
     *
     * @example
     * ```ts
     * const result = await client.pushSettings.test('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', { external_user_id: 'user-1815' });
     * ```
     */
    test(envId: string, params?: PushTestRequest, options?: RequestOptions): Promise<PushTestResult>;
    /**
     * Get the push settings of an environment.
     *
     * Requires the scope `channels:read`.
     *
     * `GET /v1/environments/{envId}/push-settings`
     *
     * @example
     * ```ts
     * const result = await client.pushSettings.get('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    get(envId: string, options?: RequestOptions): Promise<PushSettings>;
    /**
     * Create or replace the push settings of an environment.
     *
     * Push rings the devices of a user when an item arrives in the inbox. Web push needs a contact, and its keys are made here; APNs a .p8 key; FCM a service account. Apple and Google are asked whether they accept the keys (10 seconds at most), and the settings are saved in any case: `check` shows the answer. In a Test environment rings end in the sandbox.
     *
     * Requires the scope `channels:write`.
     *
     * `PUT /v1/environments/{envId}/push-settings`
     *
     * @example
     * ```ts
     * const result = await client.pushSettings.replace('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', {
     *   ring: { mode: 'unseen', after_seconds: 30 },
     *   web_push: { contact: 'ops@acme.example' },
     * });
     * ```
     */
    replace(envId: string, params: PushSettingsRequest, options?: RequestOptions): Promise<PushSettings>;
    /**
     * Delete the push settings of an environment.
     *
     * Items then reach the inbox only. Devices stay registered, but new settings have new VAPID keys, so browsers have to subscribe again.
     *
     * Requires the scope `channels:write`.
     *
     * `DELETE /v1/environments/{envId}/push-settings`
     *
     * @example
     * ```ts
     * await client.pushSettings.delete('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    delete(envId: string, options?: RequestOptions): Promise<void>;
  };
  webhookEndpoints: {
    /**
     * Create a webhook endpoint.
     *
     * The signing secret is shown only in this response. A second endpoint with the same URL returns 409 `webhook_url_exists`.
     *
     * Requires the scope `webhooks:write`.
     *
     * `POST /v1/webhook-endpoints`
     *
     * @example
     * ```ts
     * const result = await client.webhookEndpoints.create({
     *   url: 'https://example.com/hooks/carillon',
     *   event_filters: ['notification.delivered'],
     * });
     * ```
     */
    create(params: NewWebhookEndpoint, options?: RequestOptions): Promise<WebhookEndpointWithSecret>;
    /**
     * List webhook endpoints, newest first.
     *
     * Requires the scope `webhooks:read`.
     *
     * `GET /v1/webhook-endpoints`
     *
     * @example
     * ```ts
     * for await (const item of client.webhookEndpoints.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(
      params?: ListWebhookEndpointsParams,
      options?: RequestOptions,
    ): List<WebhookEndpoint, ListWebhookEndpointsResult>;
    /**
     * Get a webhook endpoint.
     *
     * Requires the scope `webhooks:read`.
     *
     * `GET /v1/webhook-endpoints/{id}`
     *
     * @example
     * ```ts
     * const result = await client.webhookEndpoints.get('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    get(id: string, options?: RequestOptions): Promise<WebhookEndpoint>;
    /**
     * Change, pause or resume a webhook endpoint.
     *
     * Omitted fields stay unchanged. While an endpoint is paused, its deliveries wait, also those of new events, for at most the retention period. When it is resumed they are sent, oldest first and 500 per second, beside new events; `discard-pending` ends them instead. Events are not recorded while an endpoint is disabled, by DELETE or by the service; deliveries that ended then can be recovered.
     *
     * Requires the scope `webhooks:write`.
     *
     * `PUT /v1/webhook-endpoints/{id}`
     *
     * @example
     * ```ts
     * const result = await client.webhookEndpoints.update('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', {
     *   event_filters: ['notification.failed', 'notification.bounced'],
     *   status: 'active',
     * });
     * ```
     */
    update(id: string, params: WebhookEndpointChange, options?: RequestOptions): Promise<WebhookEndpoint>;
    /**
     * Disable a webhook endpoint.
     *
     * The endpoint gets no more calls, and its pending deliveries end as `permanent_failure`, also those that waited because it was paused. You can still read it; PUT with `status: active` enables it again.
     *
     * Requires the scope `webhooks:write`.
     *
     * `DELETE /v1/webhook-endpoints/{id}`
     *
     * @example
     * ```ts
     * await client.webhookEndpoints.disable('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    disable(id: string, options?: RequestOptions): Promise<void>;
    /**
     * Rotate the signing secret of a webhook endpoint.
     *
     * The new secret is shown only in this response. For 24 hours calls are signed with the old and the new secret, so receivers can switch over. With ten active secrets, the response is 429.
     *
     * Requires the scope `webhooks:write`.
     *
     * `POST /v1/webhook-endpoints/{id}/rotate-secret`
     *
     * @example
     * ```ts
     * const result = await client.webhookEndpoints.rotateSecret('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    rotateSecret(id: string, options?: RequestOptions): Promise<WebhookEndpointWithSecret>;
    /**
     * Rotate the webhook secret of an environment.
     *
     * The secret signs notifications of the `webhook` channel that are addressed to a URL. It is shown only in this response; the previous secret also signs for 24 hours. With ten active secrets, the response is 429.
     *
     * Requires the scope `webhooks:write`.
     *
     * `POST /v1/environments/{envId}/webhook-secret/rotate`
     *
     * @example
     * ```ts
     * const result = await client.webhookEndpoints.rotateEnvironmentSecret('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    rotateEnvironmentSecret(
      envId: string,
      options?: RequestOptions,
    ): Promise<RotateEnvironmentWebhookSecretResult>;
    /**
     * List the deliveries to a webhook endpoint, newest first.
     *
     * With filters, a page scans a limited number of deliveries. When few match, a page may have fewer than `limit` items, or none; continue with `next_cursor` until it is null.
     *
     * Requires the scope `webhooks:read`.
     *
     * `GET /v1/webhook-endpoints/{id}/deliveries`
     *
     * @example
     * ```ts
     * for await (const item of client.webhookEndpoints.listDeliveries('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d')) {
     *   console.log(item);
     * }
     * ```
     */
    listDeliveries(
      id: string,
      params?: ListWebhookDeliveriesParams,
      options?: RequestOptions,
    ): List<WebhookDelivery, ListWebhookDeliveriesResult>;
    /**
     * Get a delivery with its payload.
     *
     * Requires the scope `webhooks:read`.
     *
     * `GET /v1/webhook-endpoints/{id}/deliveries/{deliveryId}`
     *
     * @example
     * ```ts
     * const result = await client.webhookEndpoints.getDelivery('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', '0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    getDelivery(
      id: string,
      deliveryId: string,
      options?: RequestOptions,
    ): Promise<WebhookDeliveryWithPayload>;
    /**
     * List the attempts of a delivery, newest first.
     *
     * Requires the scope `webhooks:read`.
     *
     * `GET /v1/webhook-endpoints/{id}/deliveries/{deliveryId}/attempts`
     *
     * @example
     * ```ts
     * for await (const item of client.webhookEndpoints.listAttempts('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', '0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d')) {
     *   console.log(item);
     * }
     * ```
     */
    listAttempts(
      id: string,
      deliveryId: string,
      params?: ListWebhookAttemptsParams,
      options?: RequestOptions,
    ): List<WebhookAttempt, ListWebhookAttemptsResult>;
    /**
     * Retry a delivery immediately.
     *
     * Works in any final status, and while the delivery waits for its next attempt. Restarts the retry schedule. The attempt is made even if the endpoint is paused or was disabled by the service. Returns 409 `delivery_in_flight` while an attempt is in progress, and 409 `endpoint_disabled` after DELETE of the endpoint.
     *
     * Requires the scope `webhooks:write`.
     *
     * `POST /v1/webhook-endpoints/{id}/deliveries/{deliveryId}/retry`
     *
     * @example
     * ```ts
     * const result = await client.webhookEndpoints.retryDelivery('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', '0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    retryDelivery(id: string, deliveryId: string, options?: RequestOptions): Promise<WebhookDelivery>;
    /**
     * Send a test event to a webhook endpoint.
     *
     * Sends a `webhook.test` event regardless of the filters of the endpoint, even if it is paused or was disabled by the service. Returns 409 `endpoint_disabled` after DELETE.
     *
     * Requires the scope `webhooks:write`.
     *
     * `POST /v1/webhook-endpoints/{id}/send-test`
     *
     * @example
     * ```ts
     * const result = await client.webhookEndpoints.sendTest('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    sendTest(id: string, options?: RequestOptions): Promise<WebhookDelivery>;
    /**
     * Retry all failed and pending deliveries since a time.
     *
     * Queues the deliveries again that ended as `failed` or `permanent_failure` since then and were not discarded, and the pending ones of events since then, a hundred per second; at most 100,000 of each in one call. While the endpoint is paused, they wait until it is resumed. Returns 409 `endpoint_disabled` after DELETE of the endpoint.
     *
     * Requires the scope `webhooks:write`.
     *
     * `POST /v1/webhook-endpoints/{id}/recover`
     *
     * @example
     * ```ts
     * const result = await client.webhookEndpoints.recover('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', { since: '2030-01-01T00:00:00Z' });
     * ```
     */
    recover(
      id: string,
      params: RecoverWebhookEndpointParams,
      options?: RequestOptions,
    ): Promise<RecoverWebhookEndpointResult>;
    /**
     * Discard the pending deliveries of a webhook endpoint.
     *
     * Ends the deliveries that wait because the endpoint is paused, or for their next attempt, as `permanent_failure` with the error `discarded`; at most 100,000 in one call, so call it again while `count` is 100,000. `recover` leaves them out; a single one can still be retried. Call it before you resume a paused endpoint whose old events you no longer need.
     *
     * Requires the scope `webhooks:write`.
     *
     * `POST /v1/webhook-endpoints/{id}/discard-pending`
     *
     * @example
     * ```ts
     * const result = await client.webhookEndpoints.discardPendingDeliveries('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    discardPendingDeliveries(
      id: string,
      options?: RequestOptions,
    ): Promise<DiscardPendingWebhookDeliveriesResult>;
    /**
     * Get the health of a webhook endpoint over time.
     *
     * Counted per five minutes. Each process writes its counts every five seconds; a killed process loses the last ones. Use the counts for monitoring only; for exact data, use notifications, their events and `/v1/usage`.
     *
     * Requires the scope `webhooks:read`.
     *
     * `GET /v1/webhook-endpoints/{id}/health`
     *
     * @example
     * ```ts
     * const result = await client.webhookEndpoints.getHealth('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    getHealth(
      id: string,
      params?: GetWebhookEndpointHealthParams,
      options?: RequestOptions,
    ): Promise<WebhookEndpointHealth>;
  };
  overview: {
    /**
     * Get the activity overview.
     *
     * Counts over time, delivery rate, latency, the queue, providers, webhook endpoints, and why notifications did not arrive. Each process writes its counts every five seconds; a killed process loses the last ones. Use the counts for monitoring only; for exact data, use notifications, their events and `/v1/usage`.
     *
     * Requires the scope `notifications:read`.
     *
     * `GET /v1/overview`
     *
     * @example
     * ```ts
     * const result = await client.overview.get();
     * ```
     */
    get(params?: GetOverviewParams, options?: RequestOptions): Promise<Overview>;
  };
  workflows: {
    /**
     * Create a workflow.
     *
     * You can trigger the workflow once one of its versions is active. The key `runs` is reserved.
     *
     * Requires the scope `workflows:write`.
     *
     * `POST /v1/workflows`
     *
     * @example
     * ```ts
     * const result = await client.workflows.create({ key: 'dunning', name: 'Dunning' });
     * ```
     */
    create(params: WorkflowCreate, options?: RequestOptions): Promise<WorkflowDetail>;
    /**
     * List workflows, newest first.
     *
     * Requires the scope `workflows:read`.
     *
     * `GET /v1/workflows`
     *
     * @example
     * ```ts
     * for await (const item of client.workflows.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(params?: ListWorkflowsParams, options?: RequestOptions): List<Workflow, ListWorkflowsResult>;
    /**
     * Get a workflow.
     *
     * Requires the scope `workflows:read`.
     *
     * `GET /v1/workflows/{key}`
     *
     * @example
     * ```ts
     * const result = await client.workflows.get('text');
     * ```
     */
    get(key: string, options?: RequestOptions): Promise<WorkflowDetail>;
    /**
     * Change the name or the description of a workflow.
     *
     * Requires the scope `workflows:write`.
     *
     * `PATCH /v1/workflows/{key}`
     *
     * @example
     * ```ts
     * const result = await client.workflows.update('text', { name: 'Dunning' });
     * ```
     */
    update(key: string, params: WorkflowPatch, options?: RequestOptions): Promise<WorkflowDetail>;
    /**
     * Disable a workflow.
     *
     * Started runs continue, new triggers return 404. You can still read the workflow; activating a version enables it again.
     *
     * Requires the scope `workflows:write`.
     *
     * `DELETE /v1/workflows/{key}`
     *
     * @example
     * ```ts
     * await client.workflows.disable('text');
     * ```
     */
    disable(key: string, options?: RequestOptions): Promise<void>;
    /**
     * Copy the active version of a workflow from Test to Live.
     *
     * Requires a Test key. The version becomes a new, active version in Live. With include_templates, its templates or the listed templates are promoted too, all or nothing. Returns 422 if the version is not valid in Live. With dry_run, the response only shows what would change.
     *
     * Requires the scope `workflows:promote`.
     *
     * `POST /v1/workflows/{key}/promote`
     *
     * @example
     * ```ts
     * const result = await client.workflows.promote('text', { dry_run: true, include_templates: true });
     * ```
     */
    promote(
      key: string,
      params?: PromoteWorkflowParams,
      options?: RequestOptions,
    ): Promise<WorkflowPromotion>;
    /**
     * Create a version of a workflow.
     *
     * The version is a draft until you activate it. The structure of the body is validated now (400, with a JSON Pointer as `param`), its references on activation.
     *
     * Requires the scope `workflows:write`.
     *
     * `POST /v1/workflows/{key}/versions`
     *
     * @example
     * ```ts
     * const result = await client.workflows.createVersion('text', {
     *   body: {
     *     steps: [
     *       {
     *         id: 'mail',
     *         kind: 'send',
     *         channel: 'email',
     *         recipient: { external_user_id: '{{ trigger.user }}' },
     *         template_key: 'order_shipped',
     *       },
     *     ],
     *   },
     * });
     * ```
     */
    createVersion(
      key: string,
      params: WorkflowVersionCreate,
      options?: RequestOptions,
    ): Promise<WorkflowVersion>;
    /**
     * List the versions of a workflow, newest first.
     *
     * Requires the scope `workflows:read`.
     *
     * `GET /v1/workflows/{key}/versions`
     *
     * @example
     * ```ts
     * for await (const item of client.workflows.listVersions('text')) {
     *   console.log(item);
     * }
     * ```
     */
    listVersions(
      key: string,
      params?: ListWorkflowVersionsParams,
      options?: RequestOptions,
    ): List<WorkflowVersionSummary, ListWorkflowVersionsResult>;
    /**
     * Get a version of a workflow.
     *
     * Requires the scope `workflows:read`.
     *
     * `GET /v1/workflows/{key}/versions/{version}`
     *
     * @example
     * ```ts
     * const result = await client.workflows.getVersion('text', 1);
     * ```
     */
    getVersion(key: string, version: number, options?: RequestOptions): Promise<WorkflowVersion>;
    /**
     * Activate a version of a workflow.
     *
     * New runs use this version; running ones keep theirs. If the version is invalid, the response has `valid: false` and nothing changes. With dry_run nothing changes in any case.
     *
     * Requires the scope `workflows:write`.
     *
     * `POST /v1/workflows/{key}/versions/{version}/activate`
     *
     * @example
     * ```ts
     * const result = await client.workflows.activateVersion('text', 1);
     * ```
     */
    activateVersion(
      key: string,
      version: number,
      params?: ActivateWorkflowVersionParams,
      options?: RequestOptions,
    ): Promise<WorkflowValidation>;
    /**
     * Run a version on a virtual clock.
     *
     * Nothing is sent, fetched or stored. Days pass in milliseconds; events and the responses to fetch steps are scripted.
     *
     * Requires the scope `workflows:read`.
     *
     * `POST /v1/workflows/{key}/versions/{version}/simulate`
     *
     * @example
     * ```ts
     * const result = await client.workflows.simulateVersion('text', 1, { trigger_data: { user: 'user-1815' } });
     * ```
     */
    simulateVersion(
      key: string,
      version: number,
      params: WorkflowSimulate,
      options?: RequestOptions,
    ): Promise<SimulatedRun>;
    /**
     * The JSON Schema of a workflow body.
     *
     * JSON Schema 2020-12, for editors and validators. `X-Schema-Sha256` is the hash of the response.
     *
     * Requires no credentials.
     *
     * `GET /workflows/schema.json`
     *
     * @example
     * ```ts
     * const result = await client.workflows.getSchema();
     * ```
     */
    getSchema(options?: RequestOptions): Promise<Record<string, unknown>>;
    /**
     * Start a run of a workflow.
     *
     * The run starts on the active version and stays on it. Returns 422 `trigger_data_invalid` if trigger_data does not match its schema.
     *
     * Requires the scope `workflows:trigger`.
     *
     * `POST /v1/workflows/{key}/trigger`
     *
     * @example
     * ```ts
     * const result = await client.workflows.trigger('text', { trigger_data: { user: 'user-1815', invoice: 'A-1' } });
     * ```
     */
    trigger(key: string, params: WorkflowTrigger, options?: KeyedOptions): Promise<TriggeredRun>;
    /**
     * Post an event to the waiting runs of a workflow.
     *
     * Wakes every run of the workflow that waits for this event and whose match filter matches event_data. A workflow that does not exist has no waiting runs: the count is 0.
     *
     * Requires the scope `workflows:trigger`.
     *
     * `POST /v1/workflows/{key}/events`
     *
     * @example
     * ```ts
     * const result = await client.workflows.postEvent('text', { event_name: 'invoice_paid', event_data: { invoice: 'A-1' } });
     * ```
     */
    postEvent(key: string, params: WorkflowEvent, options?: RequestOptions): Promise<AwokenRuns>;
  };
  runs: {
    /**
     * Post an event to one run.
     *
     * Requires the scope `workflows:trigger`.
     *
     * `POST /v1/workflows/runs/{runId}/events`
     *
     * @example
     * ```ts
     * const result = await client.runs.postEvent('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', { event_name: 'invoice_paid', event_data: { invoice: 'A-1' } });
     * ```
     */
    postEvent(runId: string, params: WorkflowEvent, options?: RequestOptions): Promise<AwokenRuns>;
    /**
     * List the runs of a workflow, newest first.
     *
     * Requires the scope `workflows:read`.
     *
     * `GET /v1/workflows/{key}/runs`
     *
     * @example
     * ```ts
     * for await (const item of client.runs.list('text')) {
     *   console.log(item);
     * }
     * ```
     */
    list(
      key: string,
      params?: ListWorkflowRunsParams,
      options?: RequestOptions,
    ): List<WorkflowRunSummary, ListWorkflowRunsResult>;
    /**
     * Get a run with its steps.
     *
     * Requires the scope `workflows:read`.
     *
     * `GET /v1/workflows/runs/{runId}`
     *
     * @example
     * ```ts
     * const result = await client.runs.get('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    get(runId: string, options?: RequestOptions): Promise<WorkflowRun>;
    /**
     * Cancel a run.
     *
     * Notifications that the run already created are still sent. Returns 409 `run_not_cancellable` if the run has completed or failed.
     *
     * Requires the scope `workflows:trigger`.
     *
     * `POST /v1/workflows/runs/{runId}/cancel`
     *
     * @example
     * ```ts
     * const result = await client.runs.cancel('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    cancel(runId: string, options?: RequestOptions): Promise<RunCancellation>;
  };
  schedules: {
    /**
     * Create a schedule.
     *
     * A schedule triggers a workflow or starts a broadcast again and again, at times given by cron or by rule. A workflow also requires the scope `workflows:trigger`, a broadcast `broadcasts:write`.
     *
     * Requires the scope `schedules:write`.
     *
     * `POST /v1/schedules`
     *
     * @example
     * ```ts
     * const result = await client.schedules.create({
     *   key: 'weekly_report',
     *   name: 'Weekly report',
     *   target: { kind: 'workflow', workflow_key: 'report' },
     *   cron: '0 9 * * 1',
     *   timezone: 'Europe/Rome',
     * });
     * ```
     */
    create(params: ScheduleCreate, options?: RequestOptions): Promise<ScheduleDetail>;
    /**
     * List schedules, newest first.
     *
     * Requires the scope `schedules:read`.
     *
     * `GET /v1/schedules`
     *
     * @example
     * ```ts
     * for await (const item of client.schedules.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(params?: ListSchedulesParams, options?: RequestOptions): List<Schedule, ListSchedulesResult>;
    /**
     * Show the next runs of times that are not saved.
     *
     * Requires the scope `schedules:read`.
     *
     * `POST /v1/schedules/preview`
     *
     * @example
     * ```ts
     * const result = await client.schedules.preview({ cron: '0 9 * * 1', timezone: 'Europe/Rome' });
     * ```
     */
    preview(params: ScheduleTimingInput, options?: RequestOptions): Promise<SchedulePreview>;
    /**
     * Get a schedule with its next ten runs.
     *
     * Requires the scope `schedules:read`.
     *
     * `GET /v1/schedules/{key}`
     *
     * @example
     * ```ts
     * const result = await client.schedules.get('text');
     * ```
     */
    get(key: string, options?: RequestOptions): Promise<ScheduleDetail>;
    /**
     * Replace a schedule.
     *
     * The next run is computed from now on. A paused schedule stays paused. A workflow also requires the scope `workflows:trigger`, a broadcast `broadcasts:write`.
     *
     * Requires the scope `schedules:write`.
     *
     * `PUT /v1/schedules/{key}`
     *
     * @example
     * ```ts
     * const result = await client.schedules.replace('text', {
     *   name: 'Weekly report',
     *   target: { kind: 'workflow', workflow_key: 'report' },
     *   cron: '0 9 * * 1',
     *   timezone: 'Europe/Rome',
     * });
     * ```
     */
    replace(key: string, params: ScheduleReplace, options?: RequestOptions): Promise<ScheduleDetail>;
    /**
     * Delete a schedule with its history.
     *
     * Runs that have been started continue.
     *
     * Requires the scope `schedules:write`.
     *
     * `DELETE /v1/schedules/{key}`
     *
     * @example
     * ```ts
     * await client.schedules.delete('text');
     * ```
     */
    delete(key: string, options?: RequestOptions): Promise<void>;
    /**
     * Pause a schedule.
     *
     * A paused or ended schedule stays as it is.
     *
     * Requires the scope `schedules:write`.
     *
     * `POST /v1/schedules/{key}/pause`
     *
     * @example
     * ```ts
     * const result = await client.schedules.pause('text');
     * ```
     */
    pause(key: string, options?: RequestOptions): Promise<ScheduleDetail>;
    /**
     * Resume a paused schedule.
     *
     * Slots that passed during the pause do not count as missed. A workflow also requires the scope `workflows:trigger`, a broadcast `broadcasts:write`.
     *
     * Requires the scope `schedules:write`.
     *
     * `POST /v1/schedules/{key}/resume`
     *
     * @example
     * ```ts
     * const result = await client.schedules.resume('text');
     * ```
     */
    resume(key: string, options?: RequestOptions): Promise<ScheduleDetail>;
    /**
     * Run a schedule now.
     *
     * In addition to its slots, and for the whole audience at once. Also works while it is paused. A workflow also requires the scope `workflows:trigger`, a broadcast `broadcasts:write`.
     *
     * Requires the scope `schedules:write`.
     *
     * `POST /v1/schedules/{key}/run`
     *
     * @example
     * ```ts
     * const result = await client.schedules.run('text');
     * ```
     */
    run(key: string, options?: KeyedOptions): Promise<ScheduleRun>;
    /**
     * List the slots of a schedule that ran or were missed, newest first.
     *
     * The history goes back 90 days.
     *
     * Requires the scope `schedules:read`.
     *
     * `GET /v1/schedules/{key}/runs`
     *
     * @example
     * ```ts
     * for await (const item of client.schedules.listRuns('text')) {
     *   console.log(item);
     * }
     * ```
     */
    listRuns(
      key: string,
      params?: ListScheduleRunsParams,
      options?: RequestOptions,
    ): List<ScheduleRun, ListScheduleRunsResult>;
    /**
     * Run a schedule on a virtual clock.
     *
     * Simulates the active version of the workflow at the next slots, or makes a dry run of the broadcast, which also requires the scope `broadcasts:read`. Nothing is sent, fetched or stored.
     *
     * Requires the scope `schedules:read`.
     *
     * `POST /v1/schedules/{key}/simulate`
     *
     * @example
     * ```ts
     * const result = await client.schedules.simulate('text', { now: '2030-01-01T00:00:00Z', runs: 3 });
     * ```
     */
    simulate(key: string, params?: ScheduleSimulate, options?: RequestOptions): Promise<ScheduleSimulation>;
  };
  sandbox: {
    /**
     * List sandbox messages.
     *
     * In a Test environment every send ends in the sandbox. Each message is shown as it would have been sent, newest first. In a Live environment the list is empty unless the sandbox is one of its providers. Messages are kept for 30 days, at most the newest 100,000 per environment.
     *
     * Requires the scope `notifications:read`.
     *
     * `GET /v1/sandbox/messages`
     *
     * @example
     * ```ts
     * for await (const item of client.sandbox.listMessages()) {
     *   console.log(item);
     * }
     * ```
     */
    listMessages(
      params?: ListSandboxMessagesParams,
      options?: RequestOptions,
    ): List<SandboxMessage, ListSandboxMessagesResult>;
    /**
     * Empty the sandbox.
     *
     * Removes every message in the sandbox of this environment. Notifications are not changed.
     *
     * Requires the scope `notifications:write`.
     *
     * `DELETE /v1/sandbox/messages`
     *
     * @example
     * ```ts
     * await client.sandbox.deleteMessages();
     * ```
     */
    deleteMessages(options?: RequestOptions): Promise<void>;
    /**
     * Get a sandbox message.
     *
     * Requires the scope `notifications:read`.
     *
     * `GET /v1/sandbox/messages/{id}`
     *
     * @example
     * ```ts
     * const result = await client.sandbox.getMessage('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    getMessage(id: string, options?: RequestOptions): Promise<SandboxMessage>;
  };
  emailSettings: {
    /**
     * Get the email settings of an environment.
     *
     * Requires the scope `channels:read`.
     *
     * `GET /v1/environments/{envId}/email-settings`
     *
     * @example
     * ```ts
     * const result = await client.emailSettings.get('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    get(envId: string, options?: RequestOptions): Promise<GetEmailSettingsResult>;
    /**
     * Replace the email settings of an environment.
     *
     * Sets the sender identity and the provider chain; an empty body is refused. Omitted settings return to their default, except the secrets of providers with an id: secrets are write-only and stay unchanged unless you enter new ones. In a Test environment the providers are stored and can be verified, but sends end in the sandbox.
     *
     * Requires the scope `channels:write`.
     *
     * `PUT /v1/environments/{envId}/email-settings`
     *
     * @example
     * ```ts
     * const result = await client.emailSettings.replace('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', {
     *   from_address: 'hello@example.com',
     *   from_name: 'Acme',
     *   providers: [
     *     {
     *       kind: 'smtp',
     *       name: 'Main',
     *       enabled: true,
     *       config: { host: 'smtp.example.com', port: 587 },
     *     },
     *   ],
     * });
     * ```
     */
    replace(
      envId: string,
      params: ReplaceEmailSettingsParams,
      options?: RequestOptions,
    ): Promise<ReplaceEmailSettingsResult>;
    /**
     * Change some of the email settings of an environment.
     *
     * Omitted settings stay unchanged; null clears an address or a name. `providers` is one setting: it replaces the whole chain, and providers that are not in it are removed. An element with the `id` of a provider keeps its name and the omitted secrets.
     *
     * Requires the scope `channels:write`.
     *
     * `PATCH /v1/environments/{envId}/email-settings`
     *
     * @example
     * ```ts
     * const result = await client.emailSettings.update('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', {
     *   from_address: 'hello@example.com',
     *   from_name: 'Acme',
     *   providers: [
     *     {
     *       kind: 'smtp',
     *       name: 'Main',
     *       enabled: true,
     *       config: { host: 'smtp.example.com', port: 587 },
     *     },
     *   ],
     * });
     * ```
     */
    update(
      envId: string,
      params: UpdateEmailSettingsParams,
      options?: RequestOptions,
    ): Promise<UpdateEmailSettingsResult>;
    /**
     * Verify an email provider.
     *
     * Connects and authenticates within 5 seconds; nothing is sent.
     *
     * Requires the scope `channels:write`.
     *
     * `POST /v1/environments/{envId}/email-settings/providers/{id}/verify`
     *
     * @example
     * ```ts
     * const result = await client.emailSettings.verifyProvider('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', '0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    verifyProvider(envId: string, id: string, options?: RequestOptions): Promise<VerifyEmailProviderResult>;
  };
  smsSettings: {
    /**
     * Get the SMS settings of an environment.
     *
     * With a chain of several providers, these are the settings of the first one.
     *
     * Requires the scope `channels:read`.
     *
     * `GET /v1/environments/{envId}/sms-settings`
     *
     * @example
     * ```ts
     * const result = await client.smsSettings.get('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    get(envId: string, options?: RequestOptions): Promise<SmsSettings>;
    /**
     * Create or replace the SMS settings of an environment.
     *
     * Sets a single provider; `PUT …/sms-settings/providers` sets several. Twilio (`smsone`) requires an account SID, an auth token and a sender; Vonage (`smstwo`) an API key, an API secret and a sender; `managed` nothing. Credentials are checked with the provider (5 seconds at most) and saved in any case: `credentials_validated` shows the result. They are write-only. Omitted credentials stay unchanged while kind and account are the same; null clears an optional one. In a Test environment the settings are stored and checked, but sends end in the sandbox.
     *
     * Requires the scope `channels:write`.
     *
     * `PUT /v1/environments/{envId}/sms-settings`
     *
     * @example
     * ```ts
     * const result = await client.smsSettings.replace('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', {
     *   kind: 'smsone',
     *   from_number: '+14155550123',
     *   smsone_account_sid: 'AC00000000000000000000000000000000',
     *   smsone_auth_token: 'the auth token',
     * });
     * ```
     */
    replace(envId: string, params: SmsSettingsRequest, options?: RequestOptions): Promise<SmsSettings>;
    /**
     * Delete the SMS settings of an environment.
     *
     * Sends are refused with `provider_not_configured` from then on; queued ones wait for new settings, and are retried as in an outage.
     *
     * Requires the scope `channels:write`.
     *
     * `DELETE /v1/environments/{envId}/sms-settings`
     *
     * @example
     * ```ts
     * await client.smsSettings.delete('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    delete(envId: string, options?: RequestOptions): Promise<void>;
    /**
     * Get the chain of SMS providers of an environment.
     *
     * The list is empty while the environment has no SMS settings.
     *
     * Requires the scope `channels:read`.
     *
     * `GET /v1/environments/{envId}/sms-settings/providers`
     *
     * @example
     * ```ts
     * const result = await client.smsSettings.getProviders('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    getProviders(envId: string, options?: RequestOptions): Promise<SmsProviders>;
    /**
     * Replace the chain of SMS providers of an environment.
     *
     * Providers are tried in the order of the list, each with its own sender. Providers that are not in the list are removed; an empty list deletes the SMS settings. An element with the `id` of a provider keeps its name and the omitted secrets. Credentials are saved without a check: verify a provider to check them. In a Test environment the providers are stored and can be verified, but sends end in the sandbox.
     *
     * Requires the scope `channels:write`.
     *
     * `PUT /v1/environments/{envId}/sms-settings/providers`
     *
     * @example
     * ```ts
     * const result = await client.smsSettings.replaceProviders('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', {
     *   providers: [
     *     {
     *       kind: 'smsone',
     *       from_number: '+14155550123',
     *       config: {
     *         account_sid: 'AC00000000000000000000000000000000',
     *         auth_token: 'the auth token',
     *       },
     *     },
     *     {
     *       kind: 'smstwo',
     *       from_number: '+14155550124',
     *       config: { api_key: 'the API key', api_secret: 'the API secret' },
     *     },
     *   ],
     * });
     * ```
     */
    replaceProviders(
      envId: string,
      params: SmsProvidersRequest,
      options?: RequestOptions,
    ): Promise<SmsProviders>;
    /**
     * Verify an SMS provider.
     *
     * Checks the credentials with the provider within 5 seconds, and stores the result; nothing is sent.
     *
     * Requires the scope `channels:write`.
     *
     * `POST /v1/environments/{envId}/sms-settings/providers/{id}/verify`
     *
     * @example
     * ```ts
     * const result = await client.smsSettings.verifyProvider('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', '0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    verifyProvider(envId: string, id: string, options?: RequestOptions): Promise<VerifySmsProviderResult>;
  };
  chatone: {
    /**
     * Install a Slack workspace by its bot token.
     *
     * The token is checked with Slack within 5 seconds. An existing installation of the workspace keeps its id and gets the new token (200). In Test, a token that begins with `xoxb-sandbox` creates a sandbox installation, and Slack is never called.
     *
     * Requires the scope `channels:write`.
     *
     * `POST /v1/chatone/installations`
     *
     * @example
     * ```ts
     * const result = await client.chatone.create({ bot_token: 'xoxb-sandbox' });
     * ```
     */
    create(params: NewChatoneInstallation, options?: RequestOptions): Promise<ChatoneInstallation>;
    /**
     * List the Slack installations, newest first.
     *
     * Requires the scope `channels:read`.
     *
     * `GET /v1/chatone/installations`
     *
     * @example
     * ```ts
     * for await (const item of client.chatone.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(
      params?: ListChatoneInstallationsParams,
      options?: RequestOptions,
    ): List<ChatoneInstallation, ListChatoneInstallationsResult>;
    /**
     * Get a Slack installation.
     *
     * Requires the scope `channels:read`.
     *
     * `GET /v1/chatone/installations/{id}`
     *
     * @example
     * ```ts
     * const result = await client.chatone.get('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    get(id: string, options?: RequestOptions): Promise<ChatoneInstallation>;
    /**
     * Set whether the Slack bot joins public channels automatically.
     *
     * Requires the scope `channels:write`.
     *
     * `PUT /v1/chatone/installations/{id}`
     *
     * @example
     * ```ts
     * const result = await client.chatone.update('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', { auto_join_public_channels: true });
     * ```
     */
    update(
      id: string,
      params: ChatoneInstallationChange,
      options?: RequestOptions,
    ): Promise<ChatoneInstallation>;
    /**
     * Delete a Slack installation and revoke its token.
     *
     * The installation is deleted even if Slack cannot be reached to revoke the token; the audit log shows whether Slack confirmed. A token that another installation uses is not revoked. Queued notifications fail with `installation_not_found`.
     *
     * Requires the scope `channels:write`.
     *
     * `DELETE /v1/chatone/installations/{id}`
     *
     * @example
     * ```ts
     * await client.chatone.delete('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    delete(id: string, options?: RequestOptions): Promise<void>;
    /**
     * Send a test message to Slack.
     *
     * Requires at least one target. With both, the direct message and the post are sent, and the id of the direct message is returned. Returns 409 `endpoint_disabled` for a Live installation that is `gone`, which is no longer called.
     *
     * Requires the scope `channels:write`.
     *
     * `POST /v1/chatone/installations/{id}/send-test`
     *
     * @example
     * ```ts
     * const result = await client.chatone.sendTest('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', { chatone_channel_id: 'C0123456789' });
     * ```
     */
    sendTest(id: string, params: ChatoneTestTargets, options?: RequestOptions): Promise<TestSent>;
  };
  chattwo: {
    /**
     * Create a Microsoft Teams (chattwo) endpoint.
     *
     * Requires the URL of a workflow that posts to a Microsoft Teams channel. The URL of a retired connector is rejected with `chattwo_legacy_connector_url`, any other URL with `chattwo_url_not_accepted`.
     *
     * Requires the scope `channels:write`.
     *
     * `POST /v1/chattwo-endpoints`
     *
     * @example
     * ```ts
     * const result = await client.chattwo.create({
     *   label: 'Operations',
     *   webhook_url: 'https://prod-00.westeurope.logic.azure.com/workflows/0123/triggers/manual/paths/invoke',
     * });
     * ```
     */
    create(params: NewChattwoEndpoint, options?: RequestOptions): Promise<ChattwoEndpoint>;
    /**
     * List the Microsoft Teams (chattwo) endpoints, newest first.
     *
     * Without a limit or a cursor, all of them at once, at most 1,000.
     *
     * Requires the scope `channels:read`.
     *
     * `GET /v1/chattwo-endpoints`
     *
     * @example
     * ```ts
     * for await (const item of client.chattwo.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(
      params?: ListChattwoEndpointsParams,
      options?: RequestOptions,
    ): List<ChattwoEndpoint, ListChattwoEndpointsResult>;
    /**
     * Get a Microsoft Teams (chattwo) endpoint.
     *
     * Requires the scope `channels:read`.
     *
     * `GET /v1/chattwo-endpoints/{id}`
     *
     * @example
     * ```ts
     * const result = await client.chattwo.get('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    get(id: string, options?: RequestOptions): Promise<ChattwoEndpoint>;
    /**
     * Change a Microsoft Teams (chattwo) endpoint.
     *
     * Omitted fields and the key stay unchanged; null clears a default. Setting the URL, even to the same one, reactivates a broken endpoint.
     *
     * Requires the scope `channels:write`.
     *
     * `PUT /v1/chattwo-endpoints/{id}`
     *
     * @example
     * ```ts
     * const result = await client.chattwo.update('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', { label: 'Operations' });
     * ```
     */
    update(id: string, params: ChattwoEndpointChange, options?: RequestOptions): Promise<ChattwoEndpoint>;
    /**
     * Delete a Microsoft Teams (chattwo) endpoint.
     *
     * Queued notifications for the endpoint fail with `endpoint_not_found`.
     *
     * Requires the scope `channels:write`.
     *
     * `DELETE /v1/chattwo-endpoints/{id}`
     *
     * @example
     * ```ts
     * await client.chattwo.delete('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    delete(id: string, options?: RequestOptions): Promise<void>;
    /**
     * Send a test card.
     *
     * The test is a normal notification: get the notification or its trace to see the result. Returns 409 `endpoint_disabled` for a Live endpoint that is `gone`, which is no longer called.
     *
     * Requires the scope `channels:write`.
     *
     * `POST /v1/chattwo-endpoints/{id}/send-test`
     *
     * @example
     * ```ts
     * const result = await client.chattwo.sendTest('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    sendTest(id: string, options?: RequestOptions): Promise<TestSent>;
  };
  chatthree: {
    /**
     * Create a Discord (chatthree) endpoint.
     *
     * Requires the webhook URL of a Discord channel; any other URL is rejected with `chatthree_url_not_accepted`.
     *
     * Requires the scope `channels:write`.
     *
     * `POST /v1/chatthree-endpoints`
     *
     * @example
     * ```ts
     * const result = await client.chatthree.create({
     *   label: 'Operations',
     *   webhook_url: 'https://discord.com/api/webhooks/123456789012345678/token',
     * });
     * ```
     */
    create(params: NewChatthreeEndpoint, options?: RequestOptions): Promise<ChatthreeEndpoint>;
    /**
     * List the Discord (chatthree) endpoints, newest first.
     *
     * Without a limit or a cursor, all of them at once, at most 1,000.
     *
     * Requires the scope `channels:read`.
     *
     * `GET /v1/chatthree-endpoints`
     *
     * @example
     * ```ts
     * for await (const item of client.chatthree.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(
      params?: ListChatthreeEndpointsParams,
      options?: RequestOptions,
    ): List<ChatthreeEndpoint, ListChatthreeEndpointsResult>;
    /**
     * Get a Discord (chatthree) endpoint.
     *
     * Requires the scope `channels:read`.
     *
     * `GET /v1/chatthree-endpoints/{id}`
     *
     * @example
     * ```ts
     * const result = await client.chatthree.get('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    get(id: string, options?: RequestOptions): Promise<ChatthreeEndpoint>;
    /**
     * Change a Discord (chatthree) endpoint.
     *
     * Omitted fields and the key stay unchanged; null clears a default. Setting the URL, even to the same one, reactivates a broken endpoint.
     *
     * Requires the scope `channels:write`.
     *
     * `PUT /v1/chatthree-endpoints/{id}`
     *
     * @example
     * ```ts
     * const result = await client.chatthree.update('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', { label: 'Operations', default_username: 'Acme' });
     * ```
     */
    update(id: string, params: ChatthreeEndpointChange, options?: RequestOptions): Promise<ChatthreeEndpoint>;
    /**
     * Delete a Discord (chatthree) endpoint.
     *
     * Queued notifications for the endpoint fail with `endpoint_not_found`.
     *
     * Requires the scope `channels:write`.
     *
     * `DELETE /v1/chatthree-endpoints/{id}`
     *
     * @example
     * ```ts
     * await client.chatthree.delete('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    delete(id: string, options?: RequestOptions): Promise<void>;
    /**
     * Send a test message.
     *
     * The test is a normal notification: get the notification or its trace to see the result. Returns 409 `endpoint_disabled` for a Live endpoint that is `gone`, which is no longer called.
     *
     * Requires the scope `channels:write`.
     *
     * `POST /v1/chatthree-endpoints/{id}/send-test`
     *
     * @example
     * ```ts
     * const result = await client.chatthree.sendTest('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    sendTest(id: string, options?: RequestOptions): Promise<TestSent>;
  };
  /**
   * Get the identity of the credentials.
   *
   * Requires any valid key.
   *
   * `GET /v1/me`
   *
   * @example
   * ```ts
   * const result = await client.me();
   * ```
   */
  me(options?: RequestOptions): Promise<GetMeResult>;
  environments: {
    /**
     * List environments.
     *
     * A key sees its own environment, a dashboard session all environments of the organization.
     *
     * Requires any valid key.
     *
     * `GET /v1/environments`
     *
     * @example
     * ```ts
     * for await (const item of client.environments.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(options?: RequestOptions): List<ListEnvironmentsResult['data'][number], ListEnvironmentsResult>;
    /**
     * Get an environment.
     *
     * Requires any valid key.
     *
     * `GET /v1/environments/{envId}`
     *
     * @example
     * ```ts
     * const result = await client.environments.get('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    get(envId: string, options?: RequestOptions): Promise<GetEnvironmentResult>;
  };
  apiKeys: {
    /**
     * List API keys.
     *
     * The active keys of the environment, newest first. Secrets are never shown again.
     *
     * Requires the scope `keys:read`.
     *
     * `GET /v1/api-keys`
     *
     * @example
     * ```ts
     * for await (const item of client.apiKeys.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(
      params?: ListApiKeysParams,
      options?: RequestOptions,
    ): List<ListApiKeysResult['data'][number], ListApiKeysResult>;
    /**
     * Create an API key.
     *
     * Creates a key for the environment of the credentials, with at most their scopes. A key that expires cannot create a key that expires later.
     *
     * Requires the scope `keys:write`.
     *
     * `POST /v1/api-keys`
     *
     * @example
     * ```ts
     * const result = await client.apiKeys.create({ name: 'Web shop', preset: 'send_only' });
     * ```
     */
    create(params: CreateApiKeyParams, options?: RequestOptions): Promise<CreateApiKeyResult>;
    /**
     * Revoke an API key.
     *
     * The key stops working within two seconds on every node and is removed from the list.
     *
     * Requires the scope `keys:write`.
     *
     * `DELETE /v1/api-keys/{id}`
     *
     * @example
     * ```ts
     * await client.apiKeys.revoke('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    revoke(id: string, options?: RequestOptions): Promise<void>;
    /**
     * Rotate an API key.
     *
     * Creates a new key with the same name, scopes and expiry. The old key is revoked immediately, or after `grace_seconds`.
     *
     * Requires the scope `keys:write`.
     *
     * `POST /v1/api-keys/{id}/rotate`
     *
     * @example
     * ```ts
     * const result = await client.apiKeys.rotate('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', { grace_seconds: 86400 });
     * ```
     */
    rotate(id: string, params?: RotateApiKeyParams, options?: RequestOptions): Promise<RotateApiKeyResult>;
  };
  sessions: {
    /**
     * Sign in to the dashboard.
     *
     * Sets a session cookie for 7 days, which expires earlier without use (`CARILLON_SESSION_IDLE_HOURS`), and a cookie that identifies this browser. Failed attempts delay the next one, longer each time (429): after 5 within an hour for an email from one network (/24 of IPv4, /64 of IPv6), 50 for an email from anywhere, 100 from a network. A browser in which the user has signed in before is counted separately.
     *
     * Requires no credentials.
     *
     * `POST /auth/login`
     *
     * @example
     * ```ts
     * await client.sessions.login({ email: 'ada@example.com', password: 'correct horse battery staple' });
     * ```
     */
    login(params: LoginParams, options?: RequestOptions): Promise<void>;
    /**
     * Sign out of the dashboard.
     *
     * Needs the header `X-Carillon-CSRF: 1`.
     *
     * Requires a dashboard session.
     *
     * `POST /auth/logout`
     *
     * @example
     * ```ts
     * await client.sessions.logout();
     * ```
     */
    logout(options?: RequestOptions): Promise<void>;
    /**
     * Get the signed-in user.
     *
     * Requires a dashboard session.
     *
     * `GET /auth/me`
     *
     * @example
     * ```ts
     * const result = await client.sessions.get();
     * ```
     */
    get(options?: RequestOptions): Promise<Person>;
    /**
     * Change your own name.
     *
     * Requires a dashboard session.
     *
     * `PATCH /auth/me`
     *
     * @example
     * ```ts
     * const result = await client.sessions.update({ name: 'Ada Lovelace' });
     * ```
     */
    update(params: UpdatePersonParams, options?: RequestOptions): Promise<Person>;
    /**
     * Change your own password.
     *
     * Ends all your other sessions. After 5 wrong `current_password` within an hour, further attempts in this session are delayed, longer each time (429).
     *
     * Requires a dashboard session.
     *
     * `POST /auth/password`
     *
     * @example
     * ```ts
     * await client.sessions.changePassword({
     *   current_password: 'correct horse battery staple',
     *   new_password: 'a longer sentence is better',
     * });
     * ```
     */
    changePassword(params: ChangePasswordParams, options?: RequestOptions): Promise<void>;
    /**
     * List your own sessions.
     *
     * Requires a dashboard session.
     *
     * `GET /auth/sessions`
     *
     * @example
     * ```ts
     * for await (const item of client.sessions.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(params?: ListSessionsParams, options?: RequestOptions): List<Session, ListSessionsResult>;
    /**
     * End one of your own sessions.
     *
     * The session stops working within two seconds on every node.
     *
     * Requires a dashboard session.
     *
     * `DELETE /auth/sessions/{id}`
     *
     * @example
     * ```ts
     * await client.sessions.end('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    end(id: string, options?: RequestOptions): Promise<void>;
  };
  team: {
    /**
     * Create an organization.
     *
     * Creates a Test and a Live environment without keys; you become the owner. Up to 20 organizations per user. Returns 403 `self_service_disabled` if only the operator can create organizations.
     *
     * Requires a dashboard session.
     *
     * `POST /auth/organizations`
     *
     * @example
     * ```ts
     * const result = await client.team.createOrganization({ name: 'Acme' });
     * ```
     */
    createOrganization(params: CreateOrganizationParams, options?: RequestOptions): Promise<Organization>;
    /**
     * Rename an organization.
     *
     * For owners and admins.
     *
     * Requires a dashboard session.
     *
     * `PATCH /auth/organizations/{organizationId}`
     *
     * @example
     * ```ts
     * const result = await client.team.updateOrganization('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', { name: 'Acme' });
     * ```
     */
    updateOrganization(
      organizationId: string,
      params: UpdateOrganizationParams,
      options?: RequestOptions,
    ): Promise<Organization>;
    /**
     * List the members of an organization.
     *
     * For all members.
     *
     * Requires a dashboard session.
     *
     * `GET /auth/organizations/{organizationId}/members`
     *
     * @example
     * ```ts
     * for await (const item of client.team.listMembers('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d')) {
     *   console.log(item);
     * }
     * ```
     */
    listMembers(
      organizationId: string,
      params?: ListMembersParams,
      options?: RequestOptions,
    ): List<Member, ListMembersResult>;
    /**
     * Change the role of a member.
     *
     * For owners and admins; only an owner can add or remove owners. The new role applies to open sessions within two seconds. Returns 409 `last_owner` if there is no other owner.
     *
     * Requires a dashboard session.
     *
     * `PATCH /auth/organizations/{organizationId}/members/{userId}`
     *
     * @example
     * ```ts
     * const result = await client.team.updateMember('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', '0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', { role: 'admin' });
     * ```
     */
    updateMember(
      organizationId: string,
      userId: string,
      params: UpdateMemberParams,
      options?: RequestOptions,
    ): Promise<Member>;
    /**
     * Remove a member or leave.
     *
     * For owners and admins; all members can remove themselves, and only an owner can remove an owner. Open invitations of the member are withdrawn; API keys that the member created belong to the environment and keep working. Returns 409 `last_owner` if there is no other owner.
     *
     * Requires a dashboard session.
     *
     * `DELETE /auth/organizations/{organizationId}/members/{userId}`
     *
     * @example
     * ```ts
     * await client.team.removeMember('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', '0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    removeMember(organizationId: string, userId: string, options?: RequestOptions): Promise<void>;
    /**
     * List open invitations.
     *
     * For owners and admins.
     *
     * Requires a dashboard session.
     *
     * `GET /auth/organizations/{organizationId}/invitations`
     *
     * @example
     * ```ts
     * for await (const item of client.team.listInvitations('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d')) {
     *   console.log(item);
     * }
     * ```
     */
    listInvitations(
      organizationId: string,
      params?: ListInvitationsParams,
      options?: RequestOptions,
    ): List<Invitation, ListInvitationsResult>;
    /**
     * Invite a member.
     *
     * For owners and admins; only an owner can invite an owner. No email is sent: share `accept_url` yourself. The link works once, for 7 days; inviting the same address again replaces it. Up to 100 invitations can be open.
     *
     * Requires a dashboard session.
     *
     * `POST /auth/organizations/{organizationId}/invitations`
     *
     * @example
     * ```ts
     * const result = await client.team.createInvitation('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', { email: 'grace@example.com', role: 'developer' });
     * ```
     */
    createInvitation(
      organizationId: string,
      params: CreateInvitationParams,
      options?: RequestOptions,
    ): Promise<InvitationWithLink>;
    /**
     * Withdraw an invitation.
     *
     * For owners and admins. The link stops working.
     *
     * Requires a dashboard session.
     *
     * `DELETE /auth/organizations/{organizationId}/invitations/{id}`
     *
     * @example
     * ```ts
     * await client.team.withdrawInvitation('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', '0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    withdrawInvitation(organizationId: string, id: string, options?: RequestOptions): Promise<void>;
    /**
     * Look up an invitation.
     *
     * Throttled like signing in.
     *
     * Requires no credentials.
     *
     * `POST /auth/invitations/look-up`
     *
     * @example
     * ```ts
     * const result = await client.team.lookUpInvitation({ token: 'the token of the link' });
     * ```
     */
    lookUpInvitation(params: LookUpInvitationParams, options?: RequestOptions): Promise<InvitationPreview>;
    /**
     * Accept an invitation.
     *
     * New users send a `name` and a new `password`; existing users send their password. Sets a session cookie. Throttled like signing in.
     *
     * Requires no credentials.
     *
     * `POST /auth/invitations/accept`
     *
     * @example
     * ```ts
     * const result = await client.team.acceptInvitation({
     *   token: 'the token of the link',
     *   name: 'Grace Hopper',
     *   password: 'correct horse battery staple',
     * });
     * ```
     */
    acceptInvitation(params: AcceptInvitationParams, options?: RequestOptions): Promise<Person>;
  };
  auditLog: {
    /**
     * List configuration changes and sign-ins.
     *
     * Who changed what, with the values before and after (never secrets), newest first. Includes changes in the environment of the key, and changes and sign-ins of the organization. `attachments.purged` lists the deleted attachments of a notification (name, type, size, SHA-256).
     *
     * Requires the scope `keys:read`.
     *
     * `GET /v1/audit-log`
     *
     * @example
     * ```ts
     * for await (const item of client.auditLog.list()) {
     *   console.log(item);
     * }
     * ```
     */
    list(
      params?: ListAuditEntriesParams,
      options?: RequestOptions,
    ): List<ListAuditEntriesResult['data'][number], ListAuditEntriesResult>;
  };
  operations: {
    /**
     * Check that the process is alive.
     *
     * Responds while the process runs, also during shutdown. Restart the process if it does not respond, or if it returns 503: then it has lost its database for good.
     *
     * Requires no credentials.
     *
     * `GET /healthz`
     *
     * @example
     * ```ts
     * const result = await client.operations.getHealth();
     * ```
     */
    getHealth(options?: RequestOptions): Promise<GetHealthResult>;
    /**
     * Check that the process is ready.
     *
     * Checks that the database responds and can be written to, no write is older than 5 seconds, all migrations are applied and the queue is alive. Returns 503 otherwise, and during shutdown; `components` shows the failing part.
     *
     * Requires no credentials.
     *
     * `GET /readyz`
     *
     * @example
     * ```ts
     * const result = await client.operations.getReadiness();
     * ```
     */
    getReadiness(options?: RequestOptions): Promise<GetReadinessResult>;
    /**
     * Get the public status.
     *
     * The state of the service and recent incidents. A provider outage opens an incident if it affects more than one tenant; the operator can open others. The response never names a tenant.
     *
     * Requires no credentials.
     *
     * `GET /status`
     *
     * @example
     * ```ts
     * const result = await client.operations.getStatus();
     * ```
     */
    getStatus(options?: RequestOptions): Promise<GetStatusResult>;
    /**
     * Get Prometheus metrics.
     *
     * Requires no credentials.
     *
     * `GET /metrics`
     *
     * @example
     * ```ts
     * const result = await client.operations.getMetrics();
     * ```
     */
    getMetrics(options?: RequestOptions): Promise<string>;
    /**
     * Get the OpenAPI 3.1 document.
     *
     * Requires no credentials.
     *
     * `GET /openapi.json`
     *
     * @example
     * ```ts
     * const result = await client.operations.getOpenApi();
     * ```
     */
    getOpenApi(options?: RequestOptions): Promise<Record<string, unknown>>;
  };
}

export const api: Table = {
  notifications: {
    send: { method: 'POST', path: '/v1/notifications', body: true, key: 'header' },
    list: {
      method: 'GET',
      path: '/v1/notifications',
      query: [
        'limit',
        'cursor',
        'status',
        'status_detail',
        'channel',
        'category',
        'template_key',
        'recipient',
        'external_user_id',
        'broadcast_id',
        'created_after',
        'created_before',
      ],
      list: 'cursor',
    },
    sendBatch: { method: 'POST', path: '/v1/notifications/batch', body: true, key: 'notifications' },
    get: { method: 'GET', path: '/v1/notifications/{id}' },
    update: { method: 'PATCH', path: '/v1/notifications/{id}', body: true },
    delete: { method: 'DELETE', path: '/v1/notifications/{id}' },
    resend: { method: 'POST', path: '/v1/notifications/{id}/resend', key: 'header' },
    trace: { method: 'GET', path: '/v1/notifications/{id}/trace' },
    redrive: { method: 'POST', path: '/v1/notifications/redrive', body: true, repeatable: true },
    cancel: { method: 'POST', path: '/v1/notifications/cancel', body: true, repeatable: true },
    getContent: { method: 'GET', path: '/v1/notifications/{id}/content' },
  },
  bulkActions: {
    list: { method: 'GET', path: '/v1/bulk-actions', query: ['limit', 'cursor', 'status'], list: 'cursor' },
    get: { method: 'GET', path: '/v1/bulk-actions/{id}' },
    cancel: { method: 'POST', path: '/v1/bulk-actions/{id}/cancel', repeatable: true },
  },
  templates: {
    create: { method: 'POST', path: '/v1/templates', body: true },
    list: { method: 'GET', path: '/v1/templates', query: ['limit', 'cursor', 'search'], list: 'cursor' },
    get: { method: 'GET', path: '/v1/templates/{key}' },
    update: { method: 'PATCH', path: '/v1/templates/{key}', body: true, guarded: true },
    delete: { method: 'DELETE', path: '/v1/templates/{key}' },
    putBody: {
      method: 'PUT',
      path: '/v1/templates/{key}/bodies/{channel}',
      query: ['locale'],
      body: true,
      guarded: true,
    },
    deleteBody: {
      method: 'DELETE',
      path: '/v1/templates/{key}/bodies/{channel}',
      query: ['locale'],
      guarded: true,
    },
    render: { method: 'POST', path: '/v1/templates/{key}/render', body: true, repeatable: true },
    preview: { method: 'POST', path: '/v1/templates/preview', body: true, repeatable: true },
    listVersions: {
      method: 'GET',
      path: '/v1/templates/{key}/versions',
      query: ['limit', 'cursor'],
      list: 'cursor',
    },
    getVersion: { method: 'GET', path: '/v1/templates/{key}/versions/{version}' },
    restoreVersion: { method: 'POST', path: '/v1/templates/{key}/versions/{version}/restore', guarded: true },
    promote: { method: 'POST', path: '/v1/templates/{key}/promote', body: true },
  },
  layouts: {
    put: { method: 'PUT', path: '/v1/layouts/{key}', body: true, guarded: true },
    get: { method: 'GET', path: '/v1/layouts/{key}' },
    delete: { method: 'DELETE', path: '/v1/layouts/{key}' },
    list: { method: 'GET', path: '/v1/layouts', query: ['limit', 'cursor', 'search'], list: 'cursor' },
    listVersions: {
      method: 'GET',
      path: '/v1/layouts/{key}/versions',
      query: ['limit', 'cursor'],
      list: 'cursor',
    },
    getVersion: { method: 'GET', path: '/v1/layouts/{key}/versions/{version}' },
    restoreVersion: { method: 'POST', path: '/v1/layouts/{key}/versions/{version}/restore', guarded: true },
  },
  partials: {
    put: { method: 'PUT', path: '/v1/partials/{key}', body: true, guarded: true },
    get: { method: 'GET', path: '/v1/partials/{key}' },
    delete: { method: 'DELETE', path: '/v1/partials/{key}' },
    list: { method: 'GET', path: '/v1/partials', query: ['limit', 'cursor', 'search'], list: 'cursor' },
    listVersions: {
      method: 'GET',
      path: '/v1/partials/{key}/versions',
      query: ['limit', 'cursor'],
      list: 'cursor',
    },
    getVersion: { method: 'GET', path: '/v1/partials/{key}/versions/{version}' },
    restoreVersion: { method: 'POST', path: '/v1/partials/{key}/versions/{version}/restore', guarded: true },
  },
  translations: {
    put: { method: 'PUT', path: '/v1/translations/{locale}', body: true, guarded: true },
    get: { method: 'GET', path: '/v1/translations/{locale}' },
    delete: { method: 'DELETE', path: '/v1/translations/{locale}' },
    list: { method: 'GET', path: '/v1/translations', query: ['limit', 'cursor', 'search'], list: 'cursor' },
    listMissing: {
      method: 'GET',
      path: '/v1/translations/missing',
      query: ['limit', 'cursor', 'locale'],
      list: 'cursor',
    },
    listVersions: {
      method: 'GET',
      path: '/v1/translations/{locale}/versions',
      query: ['limit', 'cursor'],
      list: 'cursor',
    },
    getVersion: { method: 'GET', path: '/v1/translations/{locale}/versions/{version}' },
    restoreVersion: {
      method: 'POST',
      path: '/v1/translations/{locale}/versions/{version}/restore',
      guarded: true,
    },
  },
  categories: {
    create: { method: 'POST', path: '/v1/preferences/categories', body: true },
    list: {
      method: 'GET',
      path: '/v1/preferences/categories',
      query: ['limit', 'cursor', 'include_archived'],
      list: 'cursor',
    },
    get: { method: 'GET', path: '/v1/preferences/categories/{key}' },
    replace: { method: 'PUT', path: '/v1/preferences/categories/{key}', body: true },
    archive: { method: 'DELETE', path: '/v1/preferences/categories/{key}' },
  },
  preferences: {
    get: { method: 'GET', path: '/v1/preferences/users/{externalUserId}' },
    setMany: { method: 'PUT', path: '/v1/preferences/users/{externalUserId}', body: true },
    set: {
      method: 'PATCH',
      path: '/v1/preferences/users/{externalUserId}/{categoryKey}/{channel}',
      body: true,
    },
    getQuietHours: { method: 'GET', path: '/v1/preferences/users/{externalUserId}/quiet-hours' },
    setQuietHours: { method: 'PUT', path: '/v1/preferences/users/{externalUserId}/quiet-hours', body: true },
    deleteQuietHours: { method: 'DELETE', path: '/v1/preferences/users/{externalUserId}/quiet-hours' },
    getBrand: { method: 'GET', path: '/v1/brand' },
    replaceBrand: { method: 'PUT', path: '/v1/brand', body: true },
    getLink: { method: 'GET', path: '/v1/preferences/users/{externalUserId}/link' },
  },
  suppressions: {
    list: {
      method: 'GET',
      path: '/v1/suppressions',
      query: ['limit', 'cursor', 'address', 'search', 'reason'],
      list: 'cursor',
    },
    add: { method: 'POST', path: '/v1/suppressions', body: true, repeatable: true },
    get: { method: 'GET', path: '/v1/suppressions/{address}' },
    remove: { method: 'DELETE', path: '/v1/suppressions/{address}', query: ['note'] },
  },
  users: {
    list: { method: 'GET', path: '/v1/users', query: ['limit', 'cursor', 'search'], list: 'cursor' },
    get: { method: 'GET', path: '/v1/users/{externalUserId}' },
    replace: { method: 'PUT', path: '/v1/users/{externalUserId}', body: true },
    erase: { method: 'DELETE', path: '/v1/users/{externalUserId}' },
    listDevices: { method: 'GET', path: '/v1/users/{externalUserId}/devices', list: 'whole' },
    registerDevice: { method: 'PUT', path: '/v1/users/{externalUserId}/devices', body: true },
    deleteDevice: { method: 'DELETE', path: '/v1/users/{externalUserId}/devices/{id}' },
  },
  topics: {
    create: { method: 'POST', path: '/v1/topics', body: true },
    list: { method: 'GET', path: '/v1/topics', query: ['limit', 'cursor', 'search'], list: 'cursor' },
    get: { method: 'GET', path: '/v1/topics/{key}' },
    replace: { method: 'PUT', path: '/v1/topics/{key}', body: true },
    delete: { method: 'DELETE', path: '/v1/topics/{key}' },
    listSubscribers: {
      method: 'GET',
      path: '/v1/topics/{key}/subscribers',
      query: ['limit', 'cursor'],
      list: 'cursor',
    },
    addSubscribers: { method: 'POST', path: '/v1/topics/{key}/subscribers', body: true, repeatable: true },
    removeSubscribers: {
      method: 'POST',
      path: '/v1/topics/{key}/subscribers/remove',
      body: true,
      repeatable: true,
    },
    subscribe: { method: 'PUT', path: '/v1/topics/{key}/subscribers/{externalUserId}' },
    unsubscribe: { method: 'DELETE', path: '/v1/topics/{key}/subscribers/{externalUserId}' },
    listOfUser: { method: 'GET', path: '/v1/users/{externalUserId}/topics', list: 'whole' },
  },
  audiences: { preview: { method: 'POST', path: '/v1/audiences/preview', body: true, repeatable: true } },
  broadcasts: {
    create: { method: 'POST', path: '/v1/broadcasts', body: true, key: 'header' },
    list: { method: 'GET', path: '/v1/broadcasts', query: ['limit', 'cursor', 'status'], list: 'cursor' },
    dryRun: { method: 'POST', path: '/v1/broadcasts/dry-run', body: true, repeatable: true },
    get: { method: 'GET', path: '/v1/broadcasts/{id}' },
    pause: { method: 'POST', path: '/v1/broadcasts/{id}/pause', repeatable: true },
    resume: { method: 'POST', path: '/v1/broadcasts/{id}/resume', repeatable: true },
    cancel: { method: 'POST', path: '/v1/broadcasts/{id}/cancel', repeatable: true },
  },
  usage: { get: { method: 'GET', path: '/v1/usage' } },
  brake: {
    get: { method: 'GET', path: '/v1/brake' },
    listRules: { method: 'GET', path: '/v1/brake/rules', list: 'whole' },
    getRule: { method: 'GET', path: '/v1/brake/rules/{key}' },
    putRule: { method: 'PUT', path: '/v1/brake/rules/{key}', body: true },
    deleteRule: { method: 'DELETE', path: '/v1/brake/rules/{key}' },
    freeze: { method: 'POST', path: '/v1/brake/freeze', body: true },
    unfreeze: { method: 'POST', path: '/v1/brake/unfreeze', body: true },
    listHolds: { method: 'GET', path: '/v1/brake/holds', list: 'whole' },
    previewHold: { method: 'GET', path: '/v1/brake/holds/{hold}' },
    releaseHold: { method: 'POST', path: '/v1/brake/holds/{hold}/release', body: true },
    listReleases: { method: 'GET', path: '/v1/brake/releases', query: ['limit', 'cursor'], list: 'cursor' },
    getRelease: { method: 'GET', path: '/v1/brake/releases/{id}' },
    stopRelease: { method: 'POST', path: '/v1/brake/releases/{id}/stop' },
    getPrices: { method: 'GET', path: '/v1/prices' },
    replacePrices: { method: 'PUT', path: '/v1/prices', body: true },
  },
  inboxTokens: {
    create: { method: 'POST', path: '/v1/inbox/tokens', body: true, repeatable: true },
    rotateKey: { method: 'POST', path: '/v1/environments/{envId}/inbox-key/rotate', body: true },
  },
  pushSettings: {
    test: { method: 'POST', path: '/v1/environments/{envId}/push-settings/test', body: true },
    get: { method: 'GET', path: '/v1/environments/{envId}/push-settings' },
    replace: { method: 'PUT', path: '/v1/environments/{envId}/push-settings', body: true },
    delete: { method: 'DELETE', path: '/v1/environments/{envId}/push-settings' },
  },
  webhookEndpoints: {
    create: { method: 'POST', path: '/v1/webhook-endpoints', body: true },
    list: {
      method: 'GET',
      path: '/v1/webhook-endpoints',
      query: ['limit', 'cursor', 'include_disabled'],
      list: 'cursor',
    },
    get: { method: 'GET', path: '/v1/webhook-endpoints/{id}' },
    update: { method: 'PUT', path: '/v1/webhook-endpoints/{id}', body: true },
    disable: { method: 'DELETE', path: '/v1/webhook-endpoints/{id}' },
    rotateSecret: { method: 'POST', path: '/v1/webhook-endpoints/{id}/rotate-secret' },
    rotateEnvironmentSecret: { method: 'POST', path: '/v1/environments/{envId}/webhook-secret/rotate' },
    listDeliveries: {
      method: 'GET',
      path: '/v1/webhook-endpoints/{id}/deliveries',
      query: ['limit', 'cursor', 'status', 'event_type', 'notification_id'],
      list: 'cursor',
    },
    getDelivery: { method: 'GET', path: '/v1/webhook-endpoints/{id}/deliveries/{deliveryId}' },
    listAttempts: {
      method: 'GET',
      path: '/v1/webhook-endpoints/{id}/deliveries/{deliveryId}/attempts',
      query: ['limit', 'cursor'],
      list: 'cursor',
    },
    retryDelivery: { method: 'POST', path: '/v1/webhook-endpoints/{id}/deliveries/{deliveryId}/retry' },
    sendTest: { method: 'POST', path: '/v1/webhook-endpoints/{id}/send-test' },
    recover: { method: 'POST', path: '/v1/webhook-endpoints/{id}/recover', body: true },
    discardPendingDeliveries: { method: 'POST', path: '/v1/webhook-endpoints/{id}/discard-pending' },
    getHealth: { method: 'GET', path: '/v1/webhook-endpoints/{id}/health', query: ['window'] },
  },
  overview: { get: { method: 'GET', path: '/v1/overview', query: ['window'] } },
  workflows: {
    create: { method: 'POST', path: '/v1/workflows', body: true },
    list: {
      method: 'GET',
      path: '/v1/workflows',
      query: ['limit', 'cursor', 'status', 'search'],
      list: 'cursor',
    },
    get: { method: 'GET', path: '/v1/workflows/{key}' },
    update: { method: 'PATCH', path: '/v1/workflows/{key}', body: true },
    disable: { method: 'DELETE', path: '/v1/workflows/{key}' },
    promote: { method: 'POST', path: '/v1/workflows/{key}/promote', body: true },
    createVersion: { method: 'POST', path: '/v1/workflows/{key}/versions', body: true },
    listVersions: {
      method: 'GET',
      path: '/v1/workflows/{key}/versions',
      query: ['limit', 'cursor'],
      list: 'cursor',
    },
    getVersion: { method: 'GET', path: '/v1/workflows/{key}/versions/{version}' },
    activateVersion: {
      method: 'POST',
      path: '/v1/workflows/{key}/versions/{version}/activate',
      query: ['dry_run'],
    },
    simulateVersion: {
      method: 'POST',
      path: '/v1/workflows/{key}/versions/{version}/simulate',
      body: true,
      repeatable: true,
    },
    getSchema: { method: 'GET', path: '/workflows/schema.json' },
    trigger: { method: 'POST', path: '/v1/workflows/{key}/trigger', body: true, key: 'header' },
    postEvent: { method: 'POST', path: '/v1/workflows/{key}/events', body: true },
  },
  runs: {
    postEvent: { method: 'POST', path: '/v1/workflows/runs/{runId}/events', body: true },
    list: {
      method: 'GET',
      path: '/v1/workflows/{key}/runs',
      query: ['status', 'external_user_id', 'limit', 'page_token', 'cursor'],
      list: 'page_token',
    },
    get: { method: 'GET', path: '/v1/workflows/runs/{runId}' },
    cancel: { method: 'POST', path: '/v1/workflows/runs/{runId}/cancel' },
  },
  schedules: {
    create: { method: 'POST', path: '/v1/schedules', body: true },
    list: { method: 'GET', path: '/v1/schedules', query: ['limit', 'cursor', 'status'], list: 'cursor' },
    preview: { method: 'POST', path: '/v1/schedules/preview', body: true, repeatable: true },
    get: { method: 'GET', path: '/v1/schedules/{key}' },
    replace: { method: 'PUT', path: '/v1/schedules/{key}', body: true },
    delete: { method: 'DELETE', path: '/v1/schedules/{key}' },
    pause: { method: 'POST', path: '/v1/schedules/{key}/pause', repeatable: true },
    resume: { method: 'POST', path: '/v1/schedules/{key}/resume', repeatable: true },
    run: { method: 'POST', path: '/v1/schedules/{key}/run', key: 'header' },
    listRuns: { method: 'GET', path: '/v1/schedules/{key}/runs', query: ['limit', 'cursor'], list: 'cursor' },
    simulate: { method: 'POST', path: '/v1/schedules/{key}/simulate', body: true, repeatable: true },
  },
  sandbox: {
    listMessages: {
      method: 'GET',
      path: '/v1/sandbox/messages',
      query: ['limit', 'cursor', 'notification_id', 'channel', 'to', 'created_after'],
      list: 'cursor',
    },
    deleteMessages: { method: 'DELETE', path: '/v1/sandbox/messages' },
    getMessage: { method: 'GET', path: '/v1/sandbox/messages/{id}' },
  },
  emailSettings: {
    get: { method: 'GET', path: '/v1/environments/{envId}/email-settings' },
    replace: { method: 'PUT', path: '/v1/environments/{envId}/email-settings', body: true },
    update: { method: 'PATCH', path: '/v1/environments/{envId}/email-settings', body: true },
    verifyProvider: {
      method: 'POST',
      path: '/v1/environments/{envId}/email-settings/providers/{id}/verify',
      repeatable: true,
    },
  },
  smsSettings: {
    get: { method: 'GET', path: '/v1/environments/{envId}/sms-settings' },
    replace: { method: 'PUT', path: '/v1/environments/{envId}/sms-settings', body: true },
    delete: { method: 'DELETE', path: '/v1/environments/{envId}/sms-settings' },
    getProviders: { method: 'GET', path: '/v1/environments/{envId}/sms-settings/providers' },
    replaceProviders: { method: 'PUT', path: '/v1/environments/{envId}/sms-settings/providers', body: true },
    verifyProvider: { method: 'POST', path: '/v1/environments/{envId}/sms-settings/providers/{id}/verify' },
  },
  chatone: {
    create: { method: 'POST', path: '/v1/chatone/installations', body: true },
    list: { method: 'GET', path: '/v1/chatone/installations', query: ['limit', 'cursor'], list: 'cursor' },
    get: { method: 'GET', path: '/v1/chatone/installations/{id}' },
    update: { method: 'PUT', path: '/v1/chatone/installations/{id}', body: true },
    delete: { method: 'DELETE', path: '/v1/chatone/installations/{id}' },
    sendTest: { method: 'POST', path: '/v1/chatone/installations/{id}/send-test', body: true },
  },
  chattwo: {
    create: { method: 'POST', path: '/v1/chattwo-endpoints', body: true },
    list: {
      method: 'GET',
      path: '/v1/chattwo-endpoints',
      query: ['limit', 'cursor', 'page_token'],
      list: 'cursor',
    },
    get: { method: 'GET', path: '/v1/chattwo-endpoints/{id}' },
    update: { method: 'PUT', path: '/v1/chattwo-endpoints/{id}', body: true },
    delete: { method: 'DELETE', path: '/v1/chattwo-endpoints/{id}' },
    sendTest: { method: 'POST', path: '/v1/chattwo-endpoints/{id}/send-test' },
  },
  chatthree: {
    create: { method: 'POST', path: '/v1/chatthree-endpoints', body: true },
    list: {
      method: 'GET',
      path: '/v1/chatthree-endpoints',
      query: ['limit', 'cursor', 'page_token'],
      list: 'cursor',
    },
    get: { method: 'GET', path: '/v1/chatthree-endpoints/{id}' },
    update: { method: 'PUT', path: '/v1/chatthree-endpoints/{id}', body: true },
    delete: { method: 'DELETE', path: '/v1/chatthree-endpoints/{id}' },
    sendTest: { method: 'POST', path: '/v1/chatthree-endpoints/{id}/send-test' },
  },
  me: { method: 'GET', path: '/v1/me' },
  environments: {
    list: { method: 'GET', path: '/v1/environments', list: 'whole' },
    get: { method: 'GET', path: '/v1/environments/{envId}' },
  },
  apiKeys: {
    list: { method: 'GET', path: '/v1/api-keys', query: ['limit', 'cursor'], list: 'cursor' },
    create: { method: 'POST', path: '/v1/api-keys', body: true },
    revoke: { method: 'DELETE', path: '/v1/api-keys/{id}' },
    rotate: { method: 'POST', path: '/v1/api-keys/{id}/rotate', body: true },
  },
  sessions: {
    login: { method: 'POST', path: '/auth/login', body: true },
    logout: { method: 'POST', path: '/auth/logout' },
    get: { method: 'GET', path: '/auth/me' },
    update: { method: 'PATCH', path: '/auth/me', body: true },
    changePassword: { method: 'POST', path: '/auth/password', body: true },
    list: { method: 'GET', path: '/auth/sessions', query: ['limit', 'cursor'], list: 'cursor' },
    end: { method: 'DELETE', path: '/auth/sessions/{id}' },
  },
  team: {
    createOrganization: { method: 'POST', path: '/auth/organizations', body: true },
    updateOrganization: { method: 'PATCH', path: '/auth/organizations/{organizationId}', body: true },
    listMembers: {
      method: 'GET',
      path: '/auth/organizations/{organizationId}/members',
      query: ['limit', 'cursor'],
      list: 'cursor',
    },
    updateMember: {
      method: 'PATCH',
      path: '/auth/organizations/{organizationId}/members/{userId}',
      body: true,
    },
    removeMember: { method: 'DELETE', path: '/auth/organizations/{organizationId}/members/{userId}' },
    listInvitations: {
      method: 'GET',
      path: '/auth/organizations/{organizationId}/invitations',
      query: ['limit', 'cursor'],
      list: 'cursor',
    },
    createInvitation: {
      method: 'POST',
      path: '/auth/organizations/{organizationId}/invitations',
      body: true,
    },
    withdrawInvitation: { method: 'DELETE', path: '/auth/organizations/{organizationId}/invitations/{id}' },
    lookUpInvitation: { method: 'POST', path: '/auth/invitations/look-up', body: true, repeatable: true },
    acceptInvitation: { method: 'POST', path: '/auth/invitations/accept', body: true },
  },
  auditLog: {
    list: {
      method: 'GET',
      path: '/v1/audit-log',
      query: ['limit', 'cursor', 'action', 'target', 'actor_id', 'created_after', 'created_before'],
      list: 'cursor',
    },
  },
  operations: {
    getHealth: { method: 'GET', path: '/healthz' },
    getReadiness: { method: 'GET', path: '/readyz' },
    getStatus: { method: 'GET', path: '/status' },
    getMetrics: { method: 'GET', path: '/metrics', text: true },
    getOpenApi: { method: 'GET', path: '/openapi.json' },
  },
};
