// Generated from openapi.json: npm run generate

import type { List } from '../list.ts';
import type { Table } from '../operations.ts';
import type { GuardedOptions, KeyedOptions, RequestOptions } from '../transport.ts';
import type {
  AcceptInvitationParams,
  ActivateWorkflowVersionParams,
  AwokenRuns,
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
  GetEmailSettingsResult,
  GetEnvironmentResult,
  GetHealthResult,
  GetMeResult,
  GetOverviewParams,
  GetReadinessResult,
  GetStatusResult,
  GetUserPreferencesResult,
  GetWebhookEndpointHealthParams,
  InboxTokenRequest,
  Invitation,
  InvitationPreview,
  InvitationWithLink,
  ListApiKeysParams,
  ListApiKeysResult,
  ListAuditEntriesParams,
  ListAuditEntriesResult,
  ListCategoriesParams,
  ListCategoriesResult,
  ListChatoneInstallationsParams,
  ListChatoneInstallationsResult,
  ListChatthreeEndpointsResult,
  ListChattwoEndpointsResult,
  ListEnvironmentsResult,
  ListInvitationsParams,
  ListInvitationsResult,
  ListMembersParams,
  ListMembersResult,
  ListNotificationsParams,
  ListNotificationsResult,
  ListSandboxMessagesParams,
  ListSandboxMessagesResult,
  ListSessionsParams,
  ListSessionsResult,
  ListSuppressionsParams,
  ListSuppressionsResult,
  ListTemplatesParams,
  ListTemplatesResult,
  ListTemplateVersionsParams,
  ListTemplateVersionsResult,
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
  NewChatoneInstallation,
  NewChatthreeEndpoint,
  NewChattwoEndpoint,
  NewWebhookEndpoint,
  Notification,
  NotificationContent,
  NotificationPatch,
  Organization,
  Overview,
  Person,
  Preference,
  PromoteTemplateParams,
  PromoteWorkflowParams,
  PutTemplateBodyParams,
  QuietHours,
  RecoverWebhookEndpointParams,
  RecoverWebhookEndpointResult,
  RemoveSuppressionParams,
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
  SendNotificationBatchParams,
  SendNotificationBatchResult,
  SendRequest,
  Session,
  SetUserPreferenceParams,
  SetUserPreferencesParams,
  SetUserPreferencesResult,
  SimulatedRun,
  SmsSettings,
  SmsSettingsRequest,
  Suppression,
  SuppressionInput,
  Template,
  TemplateCreate,
  TemplatePatch,
  TemplatePreview,
  TemplatePreviewRequest,
  TemplatePromotion,
  TemplateRender,
  TemplateVersion,
  TemplateVersionContent,
  TestSent,
  Trace,
  TriggeredRun,
  UpdateEmailSettingsParams,
  UpdateEmailSettingsResult,
  UpdateMemberParams,
  UpdateOrganizationParams,
  UpdatePersonParams,
  Usage,
  User,
  UserInput,
  VerifyEmailProviderResult,
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
     * Needs the scope `notifications:send`.
     *
     * `POST /v1/notifications`
     */
    send(params: SendRequest, options?: KeyedOptions): Promise<Notification>;
    /**
     * List notifications, newest first.
     *
     * Several filters at once are asked of so many notifications a page. When few have them all, a page may have fewer than `limit`, or none, while `next_cursor` says where to look on; the list ends when it is null.
     *
     * Needs the scope `notifications:read`.
     *
     * `GET /v1/notifications`
     */
    list(
      params?: ListNotificationsParams,
      options?: RequestOptions,
    ): List<Notification, ListNotificationsResult>;
    /**
     * Send up to 500 notifications.
     *
     * Each element is a send request with an optional idempotency_key (the header Idempotency-Key means nothing here). Elements stand alone: a bad one gets an error in its place and the others are sent. The priority is bulk unless an element says otherwise. Together they have at most 24 MiB and 100,000 JSON values, and each at most 10,000.
     *
     * Needs the scope `notifications:send`.
     *
     * `POST /v1/notifications/batch`
     */
    sendBatch(
      params: SendNotificationBatchParams,
      options?: RequestOptions,
    ): Promise<SendNotificationBatchResult>;
    /**
     * Get a notification.
     *
     * Needs the scope `notifications:read`.
     *
     * `GET /v1/notifications/{id}`
     */
    get(id: string, options?: RequestOptions): Promise<Notification>;
    /**
     * Change a queued notification.
     *
     * Needs the scope `notifications:write`.
     *
     * `PATCH /v1/notifications/{id}`
     */
    update(id: string, params: NotificationPatch, options?: RequestOptions): Promise<Notification>;
    /**
     * Delete a notification.
     *
     * A queued one is never sent; of a finished one the content and personal data are erased. While it is being sent: 409.
     *
     * Needs the scope `notifications:write`.
     *
     * `DELETE /v1/notifications/{id}`
     */
    delete(id: string, options?: RequestOptions): Promise<void>;
    /**
     * Send a failed or bounced notification again.
     *
     * Makes a new notification, linked by resent_from.
     *
     * Needs the scope `notifications:send`.
     *
     * `POST /v1/notifications/{id}/resend`
     */
    resend(id: string, options?: KeyedOptions): Promise<Notification>;
    /**
     * Why did it, or did it not, arrive?
     *
     * Every gate's verdict, every attempt at a provider with its latency and code, and what happens next.
     *
     * Needs the scope `notifications:read`.
     *
     * `GET /v1/notifications/{id}/trace`
     */
    trace(id: string, options?: RequestOptions): Promise<Trace>;
    /**
     * Get the message as its recipient sees it.
     *
     * What was sent, or what would be sent now: made from the content that the notification was accepted with, in the way that sending makes it. HTML is given as it is, and must not be shown outside a sandbox; links and images are those of the author, without tracking. Sender and reply address follow the settings of today unless the sandbox kept the message. Once the content is erased: 404.
     *
     * Needs the scope `notifications:read`.
     *
     * `GET /v1/notifications/{id}/content`
     */
    getContent(id: string, options?: RequestOptions): Promise<NotificationContent>;
  };
  templates: {
    /**
     * Create a template.
     *
     * Templates are Liquid. HTML fields escape what they output, structured fields output JSON, subjects and text output data as it is. Syntax, and the JSON of structured bodies, are checked now.
     *
     * Needs the scope `templates:write`.
     *
     * `POST /v1/templates`
     */
    create(params: TemplateCreate, options?: RequestOptions): Promise<Template>;
    /**
     * List templates, newest first.
     *
     * A page may be shorter than limit when the templates are large; next_cursor goes on.
     *
     * Needs the scope `templates:read`.
     *
     * `GET /v1/templates`
     */
    list(params?: ListTemplatesParams, options?: RequestOptions): List<Template, ListTemplatesResult>;
    /**
     * Get a template.
     *
     * Needs the scope `templates:read`.
     *
     * `GET /v1/templates/{key}`
     */
    get(key: string, options?: RequestOptions): Promise<Template>;
    /**
     * Change a template.
     *
     * Makes a new version. Notifications that were accepted keep the version they were accepted with.
     *
     * Needs the scope `templates:write`.
     *
     * `PATCH /v1/templates/{key}`
     */
    update(key: string, params: TemplatePatch, options?: GuardedOptions): Promise<Template>;
    /**
     * Delete a template.
     *
     * Notifications that were accepted with it are sent all the same. Its key is free again. 409 `template_in_use` while an active workflow names it.
     *
     * Needs the scope `templates:write`.
     *
     * `DELETE /v1/templates/{key}`
     */
    delete(key: string, options?: RequestOptions): Promise<void>;
    /**
     * Create or replace the body for a channel.
     *
     * 201 the first time, then 200. With locale: a variant of the default body, which must be there. Fields that the channel does not use are ignored.
     *
     * Needs the scope `templates:write`.
     *
     * `PUT /v1/templates/{key}/bodies/{channel}`
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
     * With locale: that variant alone. Without: the body and all its variants.
     *
     * Needs the scope `templates:write`.
     *
     * `DELETE /v1/templates/{key}/bodies/{channel}`
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
     * Needs the scope `templates:read`.
     *
     * `POST /v1/templates/{key}/render`
     */
    render(key: string, params?: TemplateRender, options?: RequestOptions): Promise<RenderedTemplate>;
    /**
     * Render a body that is not saved.
     *
     * For editors: nothing is stored or sent. A mistake in the body is a 400 template_syntax_error that names the field, the line and the column.
     *
     * Needs the scope `templates:read`.
     *
     * `POST /v1/templates/preview`
     */
    preview(params: TemplatePreviewRequest, options?: RequestOptions): Promise<TemplatePreview>;
    /**
     * List the versions of a template, newest first.
     *
     * Needs the scope `templates:read`.
     *
     * `GET /v1/templates/{key}/versions`
     */
    listVersions(
      key: string,
      params?: ListTemplateVersionsParams,
      options?: RequestOptions,
    ): List<TemplateVersion, ListTemplateVersionsResult>;
    /**
     * Get a version of a template with all it says.
     *
     * Needs the scope `templates:read`.
     *
     * `GET /v1/templates/{key}/versions/{version}`
     */
    getVersion(key: string, version: number, options?: RequestOptions): Promise<TemplateVersionContent>;
    /**
     * Make an old version the current one.
     *
     * Its content becomes a new version, so that nothing of the history is lost.
     *
     * Needs the scope `templates:write`.
     *
     * `POST /v1/templates/{key}/versions/{version}/restore`
     */
    restoreVersion(key: string, version: number, options?: GuardedOptions): Promise<Template>;
    /**
     * Copy a template from Test to Live.
     *
     * Takes a Test key. Live becomes what Test is: bodies that are only in Live are removed. With dry_run it only says what would change.
     *
     * Needs the scope `templates:promote`.
     *
     * `POST /v1/templates/{key}/promote`
     */
    promote(
      key: string,
      params?: PromoteTemplateParams,
      options?: RequestOptions,
    ): Promise<TemplatePromotion>;
  };
  categories: {
    /**
     * Create a category.
     *
     * What a notification is about, so that people can choose what they get. `default_opt_in` is true unless told; a user who decided nothing gets the category on its `default_channels`.
     *
     * Needs the scope `preferences:write`.
     *
     * `POST /v1/preferences/categories`
     */
    create(params: CategoryInput, options?: RequestOptions): Promise<Category>;
    /**
     * List categories.
     *
     * Needs the scope `preferences:read`.
     *
     * `GET /v1/preferences/categories`
     */
    list(params?: ListCategoriesParams, options?: RequestOptions): List<Category, ListCategoriesResult>;
    /**
     * Read a category.
     *
     * Needs the scope `preferences:read`.
     *
     * `GET /v1/preferences/categories/{key}`
     */
    get(key: string, options?: RequestOptions): Promise<Category>;
    /**
     * Change a category.
     *
     * An archived category can be changed too and stays archived, unless `is_archived` is false: then it can be sent under again. `is_critical` cannot be changed.
     *
     * Needs the scope `preferences:write`.
     *
     * `PUT /v1/preferences/categories/{key}`
     */
    replace(key: string, params: CategoryUpdate, options?: RequestOptions): Promise<Category>;
    /**
     * Archive a category.
     *
     * A send that names it is refused from now on. What was accepted before is still sent, and what users decided is kept: unsubscribe links in old emails go on working, and the key stays taken.
     *
     * Needs the scope `preferences:write`.
     *
     * `DELETE /v1/preferences/categories/{key}`
     */
    archive(key: string, options?: RequestOptions): Promise<void>;
  };
  preferences: {
    /**
     * What a user wants.
     *
     * Every category × channel with its effective value: what the user decided, else the default of the category. The user is the `external_user_id` of the recipient, else the address. Nobody has to be registered first. Archived categories are left out.
     *
     * Needs the scope `preferences:read`.
     *
     * `GET /v1/preferences/users/{externalUserId}`
     */
    get(externalUserId: string, options?: RequestOptions): Promise<GetUserPreferencesResult>;
    /**
     * Set several preferences of a user.
     *
     * All or nothing: one bad element and none is set. Those that are not named stay as they are. Answers with every preference of the user.
     *
     * Needs the scope `preferences:write`.
     *
     * `PUT /v1/preferences/users/{externalUserId}`
     */
    setMany(
      externalUserId: string,
      params: SetUserPreferencesParams,
      options?: RequestOptions,
    ): Promise<SetUserPreferencesResult>;
    /**
     * Set one preference of a user.
     *
     * Needs the scope `preferences:write`.
     *
     * `PATCH /v1/preferences/users/{externalUserId}/{categoryKey}/{channel}`
     */
    set(
      externalUserId: string,
      categoryKey: string,
      channel: string,
      params: SetUserPreferenceParams,
      options?: RequestOptions,
    ): Promise<Preference>;
    /**
     * Quiet hours of a user.
     *
     * Needs the scope `preferences:read`.
     *
     * `GET /v1/preferences/users/{externalUserId}/quiet-hours`
     */
    getQuietHours(externalUserId: string, options?: RequestOptions): Promise<QuietHours>;
    /**
     * Set the quiet hours of a user.
     *
     * Sends that name a category which is not critical wait until the local end of the window; the trace says so. A window that ends before it starts goes over midnight. Clock changes are heeded: the clock on the wall counts.
     *
     * Needs the scope `preferences:write`.
     *
     * `PUT /v1/preferences/users/{externalUserId}/quiet-hours`
     */
    setQuietHours(externalUserId: string, params: QuietHours, options?: RequestOptions): Promise<QuietHours>;
    /**
     * Remove the quiet hours of a user.
     *
     * What was held back already waits until the time it was held back to.
     *
     * Needs the scope `preferences:write`.
     *
     * `DELETE /v1/preferences/users/{externalUserId}/quiet-hours`
     */
    deleteQuietHours(externalUserId: string, options?: RequestOptions): Promise<void>;
  };
  suppressions: {
    /**
     * List suppressed addresses.
     *
     * Email addresses and phone numbers that nothing is sent to, newest first. Hard bounces and complaints add themselves; refusals for reasons of policy (spam, authentication, reputation) never do.
     *
     * Needs the scope `suppressions:read`.
     *
     * `GET /v1/suppressions`
     */
    list(
      params?: ListSuppressionsParams,
      options?: RequestOptions,
    ): List<Suppression, ListSuppressionsResult>;
    /**
     * Suppress an address.
     *
     * 201 when the address is new on the list; 200 with the entry as it is when it was there already.
     *
     * Needs the scope `suppressions:write`.
     *
     * `POST /v1/suppressions`
     */
    add(params: SuppressionInput, options?: RequestOptions): Promise<Suppression>;
    /**
     * Read the suppression of an address.
     *
     * Needs the scope `suppressions:read`.
     *
     * `GET /v1/suppressions/{address}`
     */
    get(address: string, options?: RequestOptions): Promise<Suppression>;
    /**
     * Send to an address again.
     *
     * Needs the scope `suppressions:write`.
     *
     * `DELETE /v1/suppressions/{address}`
     */
    remove(address: string, params?: RemoveSuppressionParams, options?: RequestOptions): Promise<void>;
  };
  users: {
    /**
     * List users, newest first.
     *
     * Needs the scope `preferences:read`.
     *
     * `GET /v1/users`
     */
    list(params?: ListUsersParams, options?: RequestOptions): List<User, ListUsersResult>;
    /**
     * What is known about a user.
     *
     * Also what sends that named both an `external_user_id` and an address left behind.
     *
     * Needs the scope `preferences:read`.
     *
     * `GET /v1/users/{externalUserId}`
     */
    get(externalUserId: string, options?: RequestOptions): Promise<User>;
    /**
     * Store what is known about a user.
     *
     * From now on the `external_user_id` alone is enough to send to this user. What is left out is forgotten. A later send that names both the user and another address replaces the address of that channel.
     *
     * Needs the scope `preferences:write`.
     *
     * `PUT /v1/users/{externalUserId}`
     */
    replace(externalUserId: string, params: UserInput, options?: RequestOptions): Promise<User>;
    /**
     * Erase a user everywhere.
     *
     * Addresses, preferences and quiet hours go; past notifications keep their status and lose recipient, content and every detail; what was still queued is never sent. Sends that named only an address stored for the user count as theirs. Suppressions and usage counters stay. A history of more than about 10,000 notifications is finished in the background. Answers 204 whether or not anything was known.
     *
     * Needs the scope `preferences:write`.
     *
     * `DELETE /v1/users/{externalUserId}`
     */
    erase(externalUserId: string, options?: RequestOptions): Promise<void>;
  };
  usage: {
    /**
     * What was used this month.
     *
     * Notifications that the Live environments of the organization accepted since the month began (UTC), whatever became of them afterwards: suppressed, failed and deleted ones count, and a resend counts anew. Test sends never do. What a plan with a limit includes counts for a person: all organizations that they own share it.
     *
     * Any valid key may call it.
     *
     * `GET /v1/usage`
     */
    get(options?: RequestOptions): Promise<Usage>;
  };
  inboxTokens: {
    /**
     * Make an end-user token.
     *
     * For the browser or device of one user: give it to nobody else. Tokens can also be made without a call, with the signing key: HS256, `iss` the environment id, `sub` the user id, `scope`, `iat` and `exp`.
     *
     * Needs the scope `notifications:send`.
     *
     * `POST /v1/inbox/tokens`
     */
    create(params: InboxTokenRequest, options?: RequestOptions): Promise<CreateInboxTokenResult>;
    /**
     * Replace the inbox signing key.
     *
     * The new key is shown this once. Tokens signed with earlier ones stay valid for the overlap (24 hours), each until it expires.
     *
     * Needs the scope `keys:write`.
     *
     * `POST /v1/environments/{envId}/inbox-key/rotate`
     */
    rotateKey(
      envId: string,
      params?: RotateInboxKeyParams,
      options?: RequestOptions,
    ): Promise<RotateInboxKeyResult>;
  };
  webhookEndpoints: {
    /**
     * Create a webhook endpoint.
     *
     * The signing secret is shown in this answer and never again. A second endpoint with the same URL is 409 `webhook_url_exists`.
     *
     * Needs the scope `webhooks:write`.
     *
     * `POST /v1/webhook-endpoints`
     */
    create(params: NewWebhookEndpoint, options?: RequestOptions): Promise<WebhookEndpointWithSecret>;
    /**
     * List webhook endpoints, newest first.
     *
     * Needs the scope `webhooks:read`.
     *
     * `GET /v1/webhook-endpoints`
     */
    list(
      params?: ListWebhookEndpointsParams,
      options?: RequestOptions,
    ): List<WebhookEndpoint, ListWebhookEndpointsResult>;
    /**
     * Get a webhook endpoint.
     *
     * Needs the scope `webhooks:read`.
     *
     * `GET /v1/webhook-endpoints/{id}`
     */
    get(id: string, options?: RequestOptions): Promise<WebhookEndpoint>;
    /**
     * Change, pause or resume a webhook endpoint.
     *
     * Fields that are left out stay as they are. Events that happen while an endpoint is paused or disabled are not recorded for it; deliveries that a pause interrupted go on when it is resumed.
     *
     * Needs the scope `webhooks:write`.
     *
     * `PUT /v1/webhook-endpoints/{id}`
     */
    update(id: string, params: WebhookEndpointChange, options?: RequestOptions): Promise<WebhookEndpoint>;
    /**
     * Disable a webhook endpoint.
     *
     * It gets no more calls, and its pending deliveries end as `permanent_failure`. It can still be read, and PUT with `status: active` brings it back.
     *
     * Needs the scope `webhooks:write`.
     *
     * `DELETE /v1/webhook-endpoints/{id}`
     */
    disable(id: string, options?: RequestOptions): Promise<void>;
    /**
     * Rotate the signing secret of a webhook endpoint.
     *
     * The new secret is shown in this answer and never again. For 24 hours calls carry a signature of each, so receivers can change over in their own time. While ten secrets sign the answer is 429.
     *
     * Needs the scope `webhooks:write`.
     *
     * `POST /v1/webhook-endpoints/{id}/rotate-secret`
     */
    rotateSecret(id: string, options?: RequestOptions): Promise<WebhookEndpointWithSecret>;
    /**
     * Rotate the webhook secret of an environment.
     *
     * It signs notifications of the `webhook` channel that are addressed to a URL. Shown in this answer and never again; the one before signs too for 24 hours. While ten secrets sign the answer is 429.
     *
     * Needs the scope `webhooks:write`.
     *
     * `POST /v1/environments/{envId}/webhook-secret/rotate`
     */
    rotateEnvironmentSecret(
      envId: string,
      options?: RequestOptions,
    ): Promise<RotateEnvironmentWebhookSecretResult>;
    /**
     * List the deliveries to a webhook endpoint, newest first.
     *
     * Filters are asked of so many deliveries a page. When few match, a page may have fewer than `limit`, or none, while `next_cursor` says where to look on; the list ends when it is null.
     *
     * Needs the scope `webhooks:read`.
     *
     * `GET /v1/webhook-endpoints/{id}/deliveries`
     */
    listDeliveries(
      id: string,
      params?: ListWebhookDeliveriesParams,
      options?: RequestOptions,
    ): List<WebhookDelivery, ListWebhookDeliveriesResult>;
    /**
     * Get a delivery, with what it carries.
     *
     * Needs the scope `webhooks:read`.
     *
     * `GET /v1/webhook-endpoints/{id}/deliveries/{deliveryId}`
     */
    getDelivery(
      id: string,
      deliveryId: string,
      options?: RequestOptions,
    ): Promise<WebhookDeliveryWithPayload>;
    /**
     * List the attempts of a delivery, newest first.
     *
     * Needs the scope `webhooks:read`.
     *
     * `GET /v1/webhook-endpoints/{id}/deliveries/{deliveryId}/attempts`
     */
    listAttempts(
      id: string,
      deliveryId: string,
      params?: ListWebhookAttemptsParams,
      options?: RequestOptions,
    ): List<WebhookAttempt, ListWebhookAttemptsResult>;
    /**
     * Try a delivery again at once.
     *
     * From any final status, and ahead of its time while it waits for its next attempt. The schedule of retries begins anew. The attempt is made even if the endpoint is paused or was disabled by the service. While an attempt is under way: 409 `delivery_in_flight`.
     *
     * Needs the scope `webhooks:write`.
     *
     * `POST /v1/webhook-endpoints/{id}/deliveries/{deliveryId}/retry`
     */
    retryDelivery(id: string, deliveryId: string, options?: RequestOptions): Promise<WebhookDelivery>;
    /**
     * Send a test event to a webhook endpoint.
     *
     * An event `webhook.test`, whatever the filters of the endpoint say, and also while it is paused or was disabled by the service. After DELETE: 409 `endpoint_disabled`.
     *
     * Needs the scope `webhooks:write`.
     *
     * `POST /v1/webhook-endpoints/{id}/send-test`
     */
    sendTest(id: string, options?: RequestOptions): Promise<WebhookDelivery>;
    /**
     * Try again everything that failed since a time.
     *
     * Deliveries that ended as `failed` or `permanent_failure` since then are queued anew, a hundred a second; at most 100,000 in one call.
     *
     * Needs the scope `webhooks:write`.
     *
     * `POST /v1/webhook-endpoints/{id}/recover`
     */
    recover(
      id: string,
      params: RecoverWebhookEndpointParams,
      options?: RequestOptions,
    ): Promise<RecoverWebhookEndpointResult>;
    /**
     * How calls to a webhook endpoint went, over time.
     *
     * Counted by five minutes. Each process writes its figures every five seconds; one that is killed takes the last of them with it. They are there to be looked at, and no account of what happened: that is what notifications, their events and `/v1/usage` are.
     *
     * Needs the scope `webhooks:read`.
     *
     * `GET /v1/webhook-endpoints/{id}/health`
     */
    getHealth(
      id: string,
      params?: GetWebhookEndpointHealthParams,
      options?: RequestOptions,
    ): Promise<WebhookEndpointHealth>;
  };
  overview: {
    /**
     * What happened lately, at a glance.
     *
     * Counts over time, delivery rate, latency, the queue, providers, webhook endpoints, and why notifications did not arrive. Each process writes its figures every five seconds; one that is killed takes the last of them with it. They are there to be looked at, and no account of what happened: that is what notifications, their events and `/v1/usage` are.
     *
     * Needs the scope `notifications:read`.
     *
     * `GET /v1/overview`
     */
    get(params?: GetOverviewParams, options?: RequestOptions): Promise<Overview>;
  };
  workflows: {
    /**
     * Create a workflow.
     *
     * It can be triggered once one of its versions is active. The key `runs` is reserved.
     *
     * Needs the scope `workflows:write`.
     *
     * `POST /v1/workflows`
     */
    create(params: WorkflowCreate, options?: RequestOptions): Promise<WorkflowDetail>;
    /**
     * List workflows, newest first.
     *
     * Needs the scope `workflows:read`.
     *
     * `GET /v1/workflows`
     */
    list(params?: ListWorkflowsParams, options?: RequestOptions): List<Workflow, ListWorkflowsResult>;
    /**
     * Get a workflow.
     *
     * Needs the scope `workflows:read`.
     *
     * `GET /v1/workflows/{key}`
     */
    get(key: string, options?: RequestOptions): Promise<WorkflowDetail>;
    /**
     * Change the name or the description of a workflow.
     *
     * Needs the scope `workflows:write`.
     *
     * `PATCH /v1/workflows/{key}`
     */
    update(key: string, params: WorkflowPatch, options?: RequestOptions): Promise<WorkflowDetail>;
    /**
     * Disable a workflow.
     *
     * Runs that have begun go on, new triggers are 404. It can still be read; activating a version brings it back.
     *
     * Needs the scope `workflows:write`.
     *
     * `DELETE /v1/workflows/{key}`
     */
    disable(key: string, options?: RequestOptions): Promise<void>;
    /**
     * Copy the active version of a workflow from Test to Live.
     *
     * Takes a Test key. It becomes a new version in Live and is active at once, with the templates it names if include_templates is true, or with those that include_templates lists: all of it or nothing. 422 when it would not be valid in Live. With dry_run it only says what would change.
     *
     * Needs the scope `workflows:promote`.
     *
     * `POST /v1/workflows/{key}/promote`
     */
    promote(
      key: string,
      params?: PromoteWorkflowParams,
      options?: RequestOptions,
    ): Promise<WorkflowPromotion>;
    /**
     * Create a version of a workflow.
     *
     * A draft until it is activated. The shape of the body is checked now (400, with a JSON Pointer as `param`); whether everything it names exists, when it is activated.
     *
     * Needs the scope `workflows:write`.
     *
     * `POST /v1/workflows/{key}/versions`
     */
    createVersion(
      key: string,
      params: WorkflowVersionCreate,
      options?: RequestOptions,
    ): Promise<WorkflowVersion>;
    /**
     * List the versions of a workflow, newest first.
     *
     * Needs the scope `workflows:read`.
     *
     * `GET /v1/workflows/{key}/versions`
     */
    listVersions(
      key: string,
      params?: ListWorkflowVersionsParams,
      options?: RequestOptions,
    ): List<WorkflowVersionSummary, ListWorkflowVersionsResult>;
    /**
     * Get a version of a workflow.
     *
     * Needs the scope `workflows:read`.
     *
     * `GET /v1/workflows/{key}/versions/{version}`
     */
    getVersion(key: string, version: number, options?: RequestOptions): Promise<WorkflowVersion>;
    /**
     * Activate a version of a workflow.
     *
     * New runs start on it; runs under way stay on theirs. An invalid one is answered with `valid: false` and nothing changes. With dry_run nothing changes either way.
     *
     * Needs the scope `workflows:write`.
     *
     * `POST /v1/workflows/{key}/versions/{version}/activate`
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
     * Nothing is sent, fetched or stored. Days pass in milliseconds; events and the answers to fetch steps are scripted.
     *
     * Needs the scope `workflows:read`.
     *
     * `POST /v1/workflows/{key}/versions/{version}/simulate`
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
     * JSON Schema 2020-12, for editors and checks. `X-Schema-Sha256` is the hash of the answer.
     *
     * Needs no credentials.
     *
     * `GET /workflows/schema.json`
     */
    getSchema(options?: RequestOptions): Promise<Record<string, unknown>>;
    /**
     * Start a run of a workflow.
     *
     * The run starts on the active version and stays on it. 422 `trigger_data_invalid` when trigger_data does not fit its schema.
     *
     * Needs the scope `workflows:trigger`.
     *
     * `POST /v1/workflows/{key}/trigger`
     */
    trigger(key: string, params: WorkflowTrigger, options?: KeyedOptions): Promise<TriggeredRun>;
    /**
     * Post an event to the waiting runs of a workflow.
     *
     * Wakes every run of the workflow that waits for this event and whose match filter fits event_data. A workflow that does not exist has no waiting runs: the count is 0.
     *
     * Needs the scope `workflows:trigger`.
     *
     * `POST /v1/workflows/{key}/events`
     */
    postEvent(key: string, params: WorkflowEvent, options?: RequestOptions): Promise<AwokenRuns>;
  };
  runs: {
    /**
     * Post an event to one run.
     *
     * Needs the scope `workflows:trigger`.
     *
     * `POST /v1/workflows/runs/{runId}/events`
     */
    postEvent(runId: string, params: WorkflowEvent, options?: RequestOptions): Promise<AwokenRuns>;
    /**
     * List the runs of a workflow, newest first.
     *
     * Needs the scope `workflows:read`.
     *
     * `GET /v1/workflows/{key}/runs`
     */
    list(
      key: string,
      params?: ListWorkflowRunsParams,
      options?: RequestOptions,
    ): List<WorkflowRunSummary, ListWorkflowRunsResult>;
    /**
     * Get a run with its steps.
     *
     * Needs the scope `workflows:read`.
     *
     * `GET /v1/workflows/runs/{runId}`
     */
    get(runId: string, options?: RequestOptions): Promise<WorkflowRun>;
    /**
     * Cancel a run.
     *
     * Notifications that it has made are sent all the same. 409 `run_not_cancellable` once it has completed or failed.
     *
     * Needs the scope `workflows:trigger`.
     *
     * `POST /v1/workflows/runs/{runId}/cancel`
     */
    cancel(runId: string, options?: RequestOptions): Promise<RunCancellation>;
  };
  sandbox: {
    /**
     * List what the sandbox received.
     *
     * In a Test environment every send ends in the sandbox. Each message is shown as it would have been sent, newest first. In a Live environment the list is empty unless the sandbox is one of its providers. Messages are kept for 30 days, and the newest 100,000 of an environment.
     *
     * Needs the scope `notifications:read`.
     *
     * `GET /v1/sandbox/messages`
     */
    listMessages(
      params?: ListSandboxMessagesParams,
      options?: RequestOptions,
    ): List<SandboxMessage, ListSandboxMessagesResult>;
    /**
     * Empty the sandbox.
     *
     * Removes every message that the sandbox of this environment has received so far. Notifications stay as they are.
     *
     * Needs the scope `notifications:write`.
     *
     * `DELETE /v1/sandbox/messages`
     */
    deleteMessages(options?: RequestOptions): Promise<void>;
    /**
     * Get a message that the sandbox received.
     *
     * Needs the scope `notifications:read`.
     *
     * `GET /v1/sandbox/messages/{id}`
     */
    getMessage(id: string, options?: RequestOptions): Promise<SandboxMessage>;
  };
  emailSettings: {
    /**
     * Read the email settings of an environment.
     *
     * Needs the scope `channels:read`.
     *
     * `GET /v1/environments/{envId}/email-settings`
     */
    get(envId: string, options?: RequestOptions): Promise<GetEmailSettingsResult>;
    /**
     * Replace the email settings of an environment.
     *
     * The sender identity and the chain of providers. Whatever is left out goes back to its default, except the secrets of providers named by their id: these are write-only and stay as they are unless given anew. In a Test environment the providers are stored and can be verified, but sends end in the sandbox.
     *
     * Needs the scope `channels:write`.
     *
     * `PUT /v1/environments/{envId}/email-settings`
     */
    replace(
      envId: string,
      params: ReplaceEmailSettingsParams,
      options?: RequestOptions,
    ): Promise<ReplaceEmailSettingsResult>;
    /**
     * Change some of the email settings of an environment.
     *
     * What is left out, or null, stays as it is; the empty text clears an address or a name. `providers` is one setting: when it is given, the whole chain is replaced by it, and a provider that is not in it is removed. An element with the `id` of a provider keeps its name and the secrets that are not given.
     *
     * Needs the scope `channels:write`.
     *
     * `PATCH /v1/environments/{envId}/email-settings`
     */
    update(
      envId: string,
      params: UpdateEmailSettingsParams,
      options?: RequestOptions,
    ): Promise<UpdateEmailSettingsResult>;
    /**
     * Check that an email provider can be used.
     *
     * Connects and authenticates within 5 seconds; nothing is sent.
     *
     * Needs the scope `channels:write`.
     *
     * `POST /v1/environments/{envId}/email-settings/providers/{id}/verify`
     */
    verifyProvider(envId: string, id: string, options?: RequestOptions): Promise<VerifyEmailProviderResult>;
  };
  smsSettings: {
    /**
     * Read the SMS settings of an environment.
     *
     * Needs the scope `channels:read`.
     *
     * `GET /v1/environments/{envId}/sms-settings`
     */
    get(envId: string, options?: RequestOptions): Promise<SmsSettings>;
    /**
     * Create or replace the SMS settings of an environment.
     *
     * Twilio (`smsone`) needs its account SID, its auth token and a sender; Vonage (`smstwo`) its API key, its API secret and a sender; `managed` nothing. Credentials are checked with the provider (5 seconds at most) and saved in any case: `credentials_validated` says how that went. They are write-only, and those that are left out or null stay as they are while kind and account do; the empty text clears one that is optional. In a Test environment the settings are stored and checked, but sends end in the sandbox.
     *
     * Needs the scope `channels:write`.
     *
     * `PUT /v1/environments/{envId}/sms-settings`
     */
    replace(envId: string, params: SmsSettingsRequest, options?: RequestOptions): Promise<SmsSettings>;
    /**
     * Delete the SMS settings of an environment.
     *
     * Sends that are queued, and later ones, then fail with `provider_not_configured`.
     *
     * Needs the scope `channels:write`.
     *
     * `DELETE /v1/environments/{envId}/sms-settings`
     */
    delete(envId: string, options?: RequestOptions): Promise<void>;
  };
  chatone: {
    /**
     * Install a Slack workspace by its bot token.
     *
     * The token is checked with Slack within 5 seconds. A workspace that is installed already keeps its id and gets the new token: 200. In Test a token that begins with `xoxb-sandbox` makes a sandbox installation, and nothing is called.
     *
     * Needs the scope `channels:write`.
     *
     * `POST /v1/chatone/installations`
     */
    create(params: NewChatoneInstallation, options?: RequestOptions): Promise<ChatoneInstallation>;
    /**
     * List the Slack installations, newest first.
     *
     * Needs the scope `channels:read`.
     *
     * `GET /v1/chatone/installations`
     */
    list(
      params?: ListChatoneInstallationsParams,
      options?: RequestOptions,
    ): List<ChatoneInstallation, ListChatoneInstallationsResult>;
    /**
     * Get a Slack installation.
     *
     * Needs the scope `channels:read`.
     *
     * `GET /v1/chatone/installations/{id}`
     */
    get(id: string, options?: RequestOptions): Promise<ChatoneInstallation>;
    /**
     * Set whether the Slack bot joins public channels automatically.
     *
     * Needs the scope `channels:write`.
     *
     * `PUT /v1/chatone/installations/{id}`
     */
    update(
      id: string,
      params: ChatoneInstallationChange,
      options?: RequestOptions,
    ): Promise<ChatoneInstallation>;
    /**
     * Delete a Slack installation and revoke its token.
     *
     * The installation goes even when Slack cannot be reached to revoke the token; the audit log says whether it confirmed. A token that another installation lives by is not revoked. Notifications that are still queued fail with `installation_not_found`.
     *
     * Needs the scope `channels:write`.
     *
     * `DELETE /v1/chatone/installations/{id}`
     */
    delete(id: string, options?: RequestOptions): Promise<void>;
    /**
     * Send a test message to Slack.
     *
     * At least one target. With both, the direct message and the post are both sent, and the id of the direct message is returned.
     *
     * Needs the scope `channels:write`.
     *
     * `POST /v1/chatone/installations/{id}/send-test`
     */
    sendTest(id: string, params: ChatoneTestTargets, options?: RequestOptions): Promise<TestSent>;
  };
  chattwo: {
    /**
     * Create a Microsoft Teams (chattwo) endpoint.
     *
     * The URL of a workflow that posts to a Microsoft Teams channel. One of a retired connector is refused with `chattwo_legacy_connector_url`, anything else with `chattwo_url_not_accepted`.
     *
     * Needs the scope `channels:write`.
     *
     * `POST /v1/chattwo-endpoints`
     */
    create(params: NewChattwoEndpoint, options?: RequestOptions): Promise<ChattwoEndpoint>;
    /**
     * List the Microsoft Teams (chattwo) endpoints, newest first.
     *
     * Needs the scope `channels:read`.
     *
     * `GET /v1/chattwo-endpoints`
     */
    list(options?: RequestOptions): List<ChattwoEndpoint, ListChattwoEndpointsResult>;
    /**
     * Get a Microsoft Teams (chattwo) endpoint.
     *
     * Needs the scope `channels:read`.
     *
     * `GET /v1/chattwo-endpoints/{id}`
     */
    get(id: string, options?: RequestOptions): Promise<ChattwoEndpoint>;
    /**
     * Change a Microsoft Teams (chattwo) endpoint.
     *
     * Fields that are left out or null stay as they are, and the key always does; the empty text clears a default. A URL that is given, even the same one, brings a broken endpoint back.
     *
     * Needs the scope `channels:write`.
     *
     * `PUT /v1/chattwo-endpoints/{id}`
     */
    update(id: string, params: ChattwoEndpointChange, options?: RequestOptions): Promise<ChattwoEndpoint>;
    /**
     * Delete a Microsoft Teams (chattwo) endpoint.
     *
     * Notifications that are still queued for it fail with `endpoint_not_found`.
     *
     * Needs the scope `channels:write`.
     *
     * `DELETE /v1/chattwo-endpoints/{id}`
     */
    delete(id: string, options?: RequestOptions): Promise<void>;
    /**
     * Send a test card.
     *
     * As a notification like any other: ask for it, or for its trace, to see what became of it.
     *
     * Needs the scope `channels:write`.
     *
     * `POST /v1/chattwo-endpoints/{id}/send-test`
     */
    sendTest(id: string, options?: RequestOptions): Promise<TestSent>;
  };
  chatthree: {
    /**
     * Create a Discord (chatthree) endpoint.
     *
     * The URL of a webhook of a Discord channel; anything else is refused with `chatthree_url_not_accepted`.
     *
     * Needs the scope `channels:write`.
     *
     * `POST /v1/chatthree-endpoints`
     */
    create(params: NewChatthreeEndpoint, options?: RequestOptions): Promise<ChatthreeEndpoint>;
    /**
     * List the Discord (chatthree) endpoints, newest first.
     *
     * Needs the scope `channels:read`.
     *
     * `GET /v1/chatthree-endpoints`
     */
    list(options?: RequestOptions): List<ChatthreeEndpoint, ListChatthreeEndpointsResult>;
    /**
     * Get a Discord (chatthree) endpoint.
     *
     * Needs the scope `channels:read`.
     *
     * `GET /v1/chatthree-endpoints/{id}`
     */
    get(id: string, options?: RequestOptions): Promise<ChatthreeEndpoint>;
    /**
     * Change a Discord (chatthree) endpoint.
     *
     * Fields that are left out or null stay as they are, and the key always does; the empty text clears a default. A URL that is given, even the same one, brings a broken endpoint back.
     *
     * Needs the scope `channels:write`.
     *
     * `PUT /v1/chatthree-endpoints/{id}`
     */
    update(id: string, params: ChatthreeEndpointChange, options?: RequestOptions): Promise<ChatthreeEndpoint>;
    /**
     * Delete a Discord (chatthree) endpoint.
     *
     * Notifications that are still queued for it fail with `endpoint_not_found`.
     *
     * Needs the scope `channels:write`.
     *
     * `DELETE /v1/chatthree-endpoints/{id}`
     */
    delete(id: string, options?: RequestOptions): Promise<void>;
    /**
     * Send a test message.
     *
     * As a notification like any other: ask for it, or for its trace, to see what became of it.
     *
     * Needs the scope `channels:write`.
     *
     * `POST /v1/chatthree-endpoints/{id}/send-test`
     */
    sendTest(id: string, options?: RequestOptions): Promise<TestSent>;
  };
  /**
   * Show whom these credentials stand for.
   *
   * Any valid key may call it.
   *
   * `GET /v1/me`
   */
  me(options?: RequestOptions): Promise<GetMeResult>;
  environments: {
    /**
     * List environments.
     *
     * A key sees its own environment; a dashboard session all environments of the organization.
     *
     * Any valid key may call it.
     *
     * `GET /v1/environments`
     */
    list(options?: RequestOptions): List<ListEnvironmentsResult['data'][number], ListEnvironmentsResult>;
    /**
     * Get an environment.
     *
     * Any valid key may call it.
     *
     * `GET /v1/environments/{envId}`
     */
    get(envId: string, options?: RequestOptions): Promise<GetEnvironmentResult>;
  };
  apiKeys: {
    /**
     * List API keys.
     *
     * The keys of the environment that are not revoked, newest first. Secrets are never shown again.
     *
     * Needs the scope `keys:read`.
     *
     * `GET /v1/api-keys`
     */
    list(
      params?: ListApiKeysParams,
      options?: RequestOptions,
    ): List<ListApiKeysResult['data'][number], ListApiKeysResult>;
    /**
     * Create an API key.
     *
     * For the environment of the credentials used, with scopes that these have themselves. A key that ends makes none that lives longer.
     *
     * Needs the scope `keys:write`.
     *
     * `POST /v1/api-keys`
     */
    create(params: CreateApiKeyParams, options?: RequestOptions): Promise<CreateApiKeyResult>;
    /**
     * Revoke an API key.
     *
     * It stops working within two seconds on every node, and is gone from the list.
     *
     * Needs the scope `keys:write`.
     *
     * `DELETE /v1/api-keys/{id}`
     */
    revoke(id: string, options?: RequestOptions): Promise<void>;
    /**
     * Rotate an API key.
     *
     * Makes a new key with the same name, scopes and expiry. The old one is revoked at once, or works on for `grace_seconds`.
     *
     * Needs the scope `keys:write`.
     *
     * `POST /v1/api-keys/{id}/rotate`
     */
    rotate(id: string, params?: RotateApiKeyParams, options?: RequestOptions): Promise<RotateApiKeyResult>;
  };
  sessions: {
    /**
     * Sign in to the dashboard.
     *
     * Sets a session cookie for 7 days, which ends sooner when it is not used (`CARILLON_SESSION_IDLE_HOURS`), and one by which this browser is known from then on. Failed attempts make the next one wait, longer each time (429): after 5 within an hour for an email from one network (/24 of IPv4, /64 of IPv6), 50 for an email from anywhere, 100 from a network. A browser in which the person has signed in before is counted by itself.
     *
     * Needs no credentials.
     *
     * `POST /auth/login`
     */
    login(params: LoginParams, options?: RequestOptions): Promise<void>;
    /**
     * Sign out of the dashboard.
     *
     * Needs the header `X-Carillon-CSRF: 1`.
     *
     * For people signed in to the dashboard.
     *
     * `POST /auth/logout`
     */
    logout(options?: RequestOptions): Promise<void>;
    /**
     * Show who is signed in.
     *
     * For people signed in to the dashboard.
     *
     * `GET /auth/me`
     */
    get(options?: RequestOptions): Promise<Person>;
    /**
     * Change your own name.
     *
     * For people signed in to the dashboard.
     *
     * `PATCH /auth/me`
     */
    update(params: UpdatePersonParams, options?: RequestOptions): Promise<Person>;
    /**
     * Change your own password.
     *
     * Ends all your other sessions. After 5 wrong `current_password` within an hour this session has to wait, longer each time (429).
     *
     * For people signed in to the dashboard.
     *
     * `POST /auth/password`
     */
    changePassword(params: ChangePasswordParams, options?: RequestOptions): Promise<void>;
    /**
     * List your own sessions.
     *
     * For people signed in to the dashboard.
     *
     * `GET /auth/sessions`
     */
    list(params?: ListSessionsParams, options?: RequestOptions): List<Session, ListSessionsResult>;
    /**
     * End one of your own sessions.
     *
     * It stops working within two seconds on every node.
     *
     * For people signed in to the dashboard.
     *
     * `DELETE /auth/sessions/{id}`
     */
    end(id: string, options?: RequestOptions): Promise<void>;
  };
  team: {
    /**
     * Create an organization.
     *
     * With a Test and a Live environment, no keys yet, and the person who asks as its owner. Up to 20 for a person; 403 `self_service_disabled` where only the operator creates them.
     *
     * For people signed in to the dashboard.
     *
     * `POST /auth/organizations`
     */
    createOrganization(params: CreateOrganizationParams, options?: RequestOptions): Promise<Organization>;
    /**
     * Rename an organization.
     *
     * For owners and admins.
     *
     * For people signed in to the dashboard.
     *
     * `PATCH /auth/organizations/{organizationId}`
     */
    updateOrganization(
      organizationId: string,
      params: UpdateOrganizationParams,
      options?: RequestOptions,
    ): Promise<Organization>;
    /**
     * List the people of an organization.
     *
     * For everybody who belongs to it.
     *
     * For people signed in to the dashboard.
     *
     * `GET /auth/organizations/{organizationId}/members`
     */
    listMembers(
      organizationId: string,
      params?: ListMembersParams,
      options?: RequestOptions,
    ): List<Member, ListMembersResult>;
    /**
     * Change the role of a member.
     *
     * For owners and admins; only an owner makes or unmakes an owner. Open sessions of the person have the new role within two seconds. 409 `last_owner` when nobody else is one.
     *
     * For people signed in to the dashboard.
     *
     * `PATCH /auth/organizations/{organizationId}/members/{userId}`
     */
    updateMember(
      organizationId: string,
      userId: string,
      params: UpdateMemberParams,
      options?: RequestOptions,
    ): Promise<Member>;
    /**
     * Remove a member, or leave.
     *
     * For owners and admins, and for everybody about themselves; only an owner removes an owner. Invitations that the person made are withdrawn; API keys that they made belong to the environment and go on working. 409 `last_owner` when nobody else is one.
     *
     * For people signed in to the dashboard.
     *
     * `DELETE /auth/organizations/{organizationId}/members/{userId}`
     */
    removeMember(organizationId: string, userId: string, options?: RequestOptions): Promise<void>;
    /**
     * List open invitations.
     *
     * For owners and admins.
     *
     * For people signed in to the dashboard.
     *
     * `GET /auth/organizations/{organizationId}/invitations`
     */
    listInvitations(
      organizationId: string,
      params?: ListInvitationsParams,
      options?: RequestOptions,
    ): List<Invitation, ListInvitationsResult>;
    /**
     * Invite somebody.
     *
     * For owners and admins; only an owner invites an owner. Nothing is sent: hand `accept_url` to the person. It works once, for 7 days; inviting the same address again replaces it. Up to 100 may be open.
     *
     * For people signed in to the dashboard.
     *
     * `POST /auth/organizations/{organizationId}/invitations`
     */
    createInvitation(
      organizationId: string,
      params: CreateInvitationParams,
      options?: RequestOptions,
    ): Promise<InvitationWithLink>;
    /**
     * Withdraw an invitation.
     *
     * For owners and admins. Its link stops working.
     *
     * For people signed in to the dashboard.
     *
     * `DELETE /auth/organizations/{organizationId}/invitations/{id}`
     */
    withdrawInvitation(organizationId: string, id: string, options?: RequestOptions): Promise<void>;
    /**
     * Show what an invitation is for.
     *
     * Throttled like signing in.
     *
     * Needs no credentials.
     *
     * `POST /auth/invitations/look-up`
     */
    lookUpInvitation(params: LookUpInvitationParams, options?: RequestOptions): Promise<InvitationPreview>;
    /**
     * Accept an invitation.
     *
     * Somebody new gives a `name` and chooses a `password`; somebody with an account gives its password. Sets a session cookie. Throttled like signing in.
     *
     * Needs no credentials.
     *
     * `POST /auth/invitations/accept`
     */
    acceptInvitation(params: AcceptInvitationParams, options?: RequestOptions): Promise<Person>;
  };
  auditLog: {
    /**
     * List configuration changes and sign-ins.
     *
     * Who changed what, with the values before and after (never secrets), newest first: changes in the environment of the key, and those of the organization as a whole, to which sign-ins of its members belong. `attachments.purged` says what the attachments of a notification were (name, type, size, SHA-256) whose bytes the service has deleted.
     *
     * Needs the scope `keys:read`.
     *
     * `GET /v1/audit-log`
     */
    list(
      params?: ListAuditEntriesParams,
      options?: RequestOptions,
    ): List<ListAuditEntriesResult['data'][number], ListAuditEntriesResult>;
  };
  operations: {
    /**
     * Is the process alive?
     *
     * Answers as long as the process runs, also while it shuts down. Restart it when it does not.
     *
     * Needs no credentials.
     *
     * `GET /healthz`
     */
    getHealth(options?: RequestOptions): Promise<GetHealthResult>;
    /**
     * May requests be sent here?
     *
     * Whether the database answers, all migrations are done and the queue is alive. 503 otherwise, and while the process shuts down; `components` tells which part it is.
     *
     * Needs no credentials.
     *
     * `GET /readyz`
     */
    getReadiness(options?: RequestOptions): Promise<GetReadinessResult>;
    /**
     * Public summary.
     *
     * Whether the service works, and what happened lately. An outage of a provider opens an incident when it concerns more than one tenant; the operator opens others. Nothing here names a tenant.
     *
     * Needs no credentials.
     *
     * `GET /status`
     */
    getStatus(options?: RequestOptions): Promise<GetStatusResult>;
    /**
     * Figures for Prometheus.
     *
     * Needs no credentials.
     *
     * `GET /metrics`
     */
    getMetrics(options?: RequestOptions): Promise<string>;
    /**
     * This API as an OpenAPI 3.1 document.
     *
     * Needs no credentials.
     *
     * `GET /openapi.json`
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
        'channel',
        'category',
        'template_key',
        'recipient',
        'external_user_id',
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
    getContent: { method: 'GET', path: '/v1/notifications/{id}/content' },
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
  },
  usage: { get: { method: 'GET', path: '/v1/usage' } },
  inboxTokens: {
    create: { method: 'POST', path: '/v1/inbox/tokens', body: true, repeatable: true },
    rotateKey: { method: 'POST', path: '/v1/environments/{envId}/inbox-key/rotate', body: true },
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
      query: ['status', 'external_user_id', 'limit', 'page_token'],
      list: 'page_token',
    },
    get: { method: 'GET', path: '/v1/workflows/runs/{runId}' },
    cancel: { method: 'POST', path: '/v1/workflows/runs/{runId}/cancel' },
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
    list: { method: 'GET', path: '/v1/chattwo-endpoints', list: 'whole' },
    get: { method: 'GET', path: '/v1/chattwo-endpoints/{id}' },
    update: { method: 'PUT', path: '/v1/chattwo-endpoints/{id}', body: true },
    delete: { method: 'DELETE', path: '/v1/chattwo-endpoints/{id}' },
    sendTest: { method: 'POST', path: '/v1/chattwo-endpoints/{id}/send-test' },
  },
  chatthree: {
    create: { method: 'POST', path: '/v1/chatthree-endpoints', body: true },
    list: { method: 'GET', path: '/v1/chatthree-endpoints', list: 'whole' },
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
