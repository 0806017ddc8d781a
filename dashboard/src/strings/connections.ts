export const connections = {
  title: 'Connections',
  sections: 'Connections by channel',
  descriptions: {
    email: 'The sender of your emails and the providers that deliver them, in failover order.',
    sms: 'The providers that deliver your text messages, in failover order, each with its sender.',
    push: 'The services that ring the phones and browsers of your users when an item arrives in their inbox.',
    chatone: 'The Slack workspaces you post to. Each installation connects one workspace.',
    chattwo:
      'The Microsoft Teams channels you post to through workflow URLs. Use the endpoint key as the recipient.',
    chatthree:
      'The Discord channels you post to through webhook URLs. Use the endpoint key as the recipient.',
  },
  inTest: {
    email:
      'Test mode: emails go to the sandbox and are never sent. You can save and verify providers here, but only Live uses them.',
    sms: 'Test mode: text messages go to the sandbox and are never sent. You can save and verify providers here, but only Live uses them.',
    push: 'Test mode: pushes go to the sandbox and do not ring. Only the test on this page rings devices.',
    chatone:
      'Test mode: messages go to the sandbox and are never sent. A token that starts with xoxb-sandbox needs no workspace.',
    chattwo: 'Test mode: messages go to the sandbox and are never sent. URLs are stored but not called.',
    chatthree: 'Test mode: messages go to the sandbox and are never sent. URLs are stored but not called.',
  },
  inTheApi: 'API name:',
  toSandbox: 'Open sandbox',
  toTrace: 'View trace',
  sendTest: 'Send test…',
  lastSuccess: 'Last success',
  lastFailure: 'Last failure',
  lastSaid: (reason: string) => `Last response: ${reason}`,
  notUsed: 'Not used yet',
};

/** Advice for a provider error, by the kind of error recognized in it. */
export const advice = {
  credentials: 'The provider rejected the credentials. Copy them again from the provider’s console.',
  lost: 'The encryption key of this service has changed. Enter the secrets again and save.',
  scope: 'The key is valid but has no permission to send. Grant it, or create another key.',
  domain: 'The sending domain is not verified. Complete its DNS records at the provider, then verify again.',
  stopped: 'The provider suspended this account. Sign in there to see what is required.',
  privateNetwork:
    'The address is in a private network. The operator of this service can allow it with CARILLON_ALLOW_PRIVATE_NETWORK.',
  name: 'Host not found. Check the spelling.',
  tls: 'The TLS connection failed. Check the port: 465 uses implicit TLS, 587 and 25 use STARTTLS.',
  unreachable: 'Connection failed. Check the host, the port and your firewall.',
  workflow:
    'Check that the workflow is turned on and that anyone can trigger it. If its URL was regenerated, enter the new one.',
  webhook: 'The webhook was deleted. Create a new one in the channel settings and enter its URL.',
  reinstall: 'Reinstall the app in the workspace.',
  invite: 'Invite the bot to the channel, or turn on automatic joining of public channels.',
  slow: 'The provider is rate limiting; sends are throttled. If this continues, ask the provider for a higher limit.',
  noSms: 'Add your own account below, or ask the operator of this service to set up an SMS provider.',
  other: 'Check the provider’s console, fix the problem there, then try again.',
};

/** A chain of providers, on any channel. */
export const chain = {
  title: 'Provider chain',
  label: 'Providers in failover order',
  add: 'Add provider',
  position: (place: number) => `${place}.`,
  moved: (name: string, place: number, all: number) => `${name} is now ${place} of ${all}.`,
  drag: (name: string) => `Move ${name}: drag, or press the arrow keys`,
  up: (name: string) => `Move ${name} up`,
  down: (name: string) => `Move ${name} down`,
  enabled: (name: string) => `Use ${name}`,
  actions: (name: string) => `Actions for ${name}`,
  unsaved: 'Not saved yet',
  off: 'Off',
  verify: 'Verify',
  verifyFirst: 'Save first: verification uses the saved settings.',
  verified: 'Verified.',
  refused: 'Verification failed.',
  edit: 'Edit…',
  remove: 'Remove',
  removedNote: 'Removed from the chain. Save to apply.',
  callback: 'Callback URL',
  callbackHints: {
    ses: 'Subscribe an SNS topic to this URL over HTTPS (raw message delivery off), set the topic as the event destination of a configuration set, and enter both here.',
    sendgrid:
      'Paste it under Mail Settings, Event Webhook, turn on signature verification and enter the key here.',
    postmark: 'Paste it under Webhooks with basic authentication, and enter the same user and password here.',
    resend: 'Paste it under Webhooks, and enter the signing secret here.',
    mailgun: 'Paste it under Webhooks of the domain, and enter the HTTP webhook signing key here.',
    http: 'Enter it where the service asks for a webhook or callback URL, and set the callback fields here.',
  } as Record<string, string>,
  callbackMissing: 'Until then, bounce and complaint callbacks are rejected.',
  health: {
    outage: (failed: number, all: number) =>
      `Outage: ${failed} of ${all} messages failed in the last 5 minutes. This provider is tried last until a message succeeds. Verify it and check the provider’s status page.`,
    degraded: (failed: number, all: number) =>
      `Degraded: ${failed} of ${all} messages failed in the last 5 minutes. Check the provider’s status page. Failed messages go to the next provider.`,
    alone: 'No other provider is enabled. Add a second one for failover.',
    since: 'Since',
    paused: 'Rate limited by the provider. Resumes',
    recent: (all: number) => `${all} messages in the last 5 minutes, no failures`,
    quiet: 'No messages in the last 5 minutes',
    idle: 'No messages in the last 5 minutes. This provider failed before, so it is tried last until a message succeeds. Verify it to check.',
  },
  dialog: {
    addTitle: 'Add provider',
    editTitle: (name: string) => `Edit ${name}`,
    hint: 'Changes apply when you save the page.',
    kind: 'Kind',
    name: 'Name',
    nameHint: 'Shown in events and traces. Letters, digits, spaces, dots and dashes.',
    namePlaceholder: 'Same as the kind',
    kept: (masked: string) => `Saved: ${masked}. Leave empty to keep it.`,
    keptPlaceholder: 'Unchanged',
    again: (field: string) =>
      `Enter it again: “${field}” has changed, and saved secrets are never sent to a new address.`,
    clear: 'Clear',
    cleared: 'Cleared when you save.',
    keep: 'Keep',
    needed: 'Required.',
    apply: 'Apply',
    addApply: 'Add to chain',
    more: 'Callbacks and advanced settings',
    byDefault: 'Default',
    mapHint: 'One per line: name: value.',
  },
  save: 'Save changes',
  discard: 'Discard',
  saved: 'Saved.',
  /** Labels of fields whose names do not read well; the hints come with the manifests. */
  labels: {
    url: 'URL',
    check_url: 'Check URL',
    idempotent: 'Recognizes repeated messages',
    message_id_pointer: 'Pointer to the message id',
    body: 'JSON body',
  } as Record<string, string>,
  providerProblem: (name: string, problem: string) => `${name}: ${problem}`,
};

export const email = {
  sender: 'Sender',
  fromAddress: 'From address',
  fromAddressHint: 'Verify its domain with every provider in the chain.',
  managedSender: 'Emails are sent as',
  managedSenderText:
    'Emails go through the operator’s server, so the operator sets the sender. Add your own provider to use your own From address and name.',
  fromName: 'From name',
  fromNameHint: 'Shown to recipients. A send can override it.',
  replyTo: 'Reply-to address',
  replyToHint: 'Defaults to the From address.',
  senderLocked: 'Lock sender name',
  senderLockedHint: 'Sends cannot override it.',
  senderLockedManaged: 'Locked by the operator.',
  trackOpens: 'Track opens',
  trackOpensHint: 'Adds a tracking pixel. Many mail clients preload images, so read open rates as a trend.',
  trackClicks: 'Track clicks',
  trackClicksHint: 'Links redirect through this service.',
  chainHint:
    'Emails go to the first provider. If it rejects a message or is down, the next one is tried. Drag to reorder, or use the arrows.',
  empty: {
    test: 'No provider needed in Test',
    testText: 'Emails go to the sandbox. Add a provider to check its credentials before you use it in Live.',
    live: 'No email provider',
    liveText:
      'Email is refused with provider_not_configured until you add a provider and a From address. An SMTP server is enough to start.',
    managed: 'Emails go through the operator’s server',
    managedText: 'Add a provider to use your own account.',
  },
  sandboxHint: 'Stores every email and sends nothing. For testing.',
  /** Label and hint; without an entry the label is the name of the field. */
  fields: {
    host: ['Host', 'smtp.example.com, without a port.'],
    port: ['Port', 'Default: 587, or 465 with implicit TLS.'],
    secure: ['Implicit TLS', 'When off, STARTTLS is used if the server offers it.'],
    require_tls: ['Require TLS', 'Fail if the server does not offer TLS.'],
    username: ['Username', 'For servers that require authentication.'],
    password: ['Password', 'The password of this user.'],
    region: ['Region', 'For example eu-west-1.'],
    mailgun_region: ['Region', 'us (default) or eu.'],
    access_key_id: ['Access key id', 'Needs ses:SendEmail and ses:GetAccount.'],
    secret_access_key: ['Secret access key', 'The secret of this access key.'],
    configuration_set: ['Configuration set', 'Its event destination must publish to SNS.'],
    sns_topic_arn: [
      'SNS topic ARN',
      'Callbacks are accepted from this topic only. Without it, all are rejected.',
    ],
    api_key: ['API key', 'Send permission is enough.'],
    server_token: ['Server token', 'The API token of the Postmark server.'],
    message_stream: ['Message stream', 'Default: outbound.'],
    domain: ['Domain', 'The sending domain, such as mg.example.com.'],
    webhook_public_key: ['Webhook verification key', 'The public key of the signed event webhook.'],
    webhook_username: ['Webhook username', 'Sent by Postmark with callbacks.'],
    webhook_password: ['Webhook password', 'At least 8 characters.'],
    webhook_secret: ['Webhook signing secret', 'Starts with whsec_.'],
    webhook_signing_key: ['Webhook signing key', 'The HTTP webhook signing key of the account.'],
    base_url: ['Base URL', 'For other regions and simulators. Default: the provider’s URL.'],
  } as Record<string, [string, string]>,
};

export const sms = {
  chainHint:
    'Messages go to the first provider. If it rejects a message or is down, the next one is tried. Each provider has its own sender. Drag to reorder, or use the arrows.',
  empty: {
    test: 'No SMS provider needed in Test',
    testText: 'Text messages go to the sandbox. Add a provider to check its credentials.',
    live: 'No SMS provider',
    liveText: 'Text messages are refused with provider_not_configured until you add a provider.',
  },
  managedHint: 'The operator’s provider and sender. No setup required.',
  /** Label and hint; without an entry the label is the name of the field. */
  fields: {
    from_number: ['From number', 'With country code: +14155550123. Enter this, a sender id, or both.'],
    from_sender_id: [
      'Sender id',
      'Up to 11 letters and digits. Used where supported; messages to the United States and Canada come from the number.',
    ],
    account_sid: ['Account SID', 'AC and 32 hexadecimal digits.'],
    auth_token: ['Auth token', 'Also verifies delivery receipts.'],
    api_key: ['API key', 'Identifies the account.'],
    api_secret: ['API secret', 'The secret of this API key.'],
    signature_secret: ['Signature secret', 'When set, delivery receipts must be signed.'],
  } as Record<string, [string, string]>,
  callbackHint:
    'Delivery receipts are requested with every message. For replies (STOP), set this as the incoming message URL of your number.',
};

export const chatone = {
  install: 'Add to Slack',
  paste: 'Use a bot token',
  table: 'Installations',
  empty: 'No workspaces yet',
  emptyText:
    'Add the app to a Slack workspace. If you already have your own Slack app, use its bot token instead.',
  emptyTextTest: 'To test without a workspace, use a bot token that starts with xoxb-sandbox.',
  bot: 'Bot',
  installed: 'Installed',
  autoJoin: 'Join public channels automatically',
  autoJoinHint: 'The bot joins a public channel before its first post there.',
  scopes: 'Permissions',
  actions: (team: string) => `Actions for ${team}`,
  remove: 'Remove…',
  removeTitle: (team: string) => `Remove ${team}?`,
  removeText: 'The bot token is revoked and queued notifications fail. To reconnect, add the app again.',
  removeConfirm: 'Remove and revoke',
  removed: 'Removed. The token was revoked.',
  broken: 'The last call was rejected. Check the permissions of the app in the workspace. Sends are retried.',
  gone: 'The token is no longer valid: the app was removed or the token revoked. Sends fail until you add the app again.',
  again: 'Reinstall app',
  result: {
    installed: (team: string) => `Installed in ${team}. Send a test to check it.`,
    installedPlain: 'Installed. Send a test to check it.',
    failed: 'Installation failed.',
    retry: 'Try again',
    dismiss: 'Dismiss',
    codes: {
      access_denied: 'The installation was cancelled in Slack. Nothing was changed.',
      chatone_not_configured:
        'No Slack app is configured: the operator must set CARILLON_CHATONE_CLIENT_ID and CARILLON_CHATONE_CLIENT_SECRET. You can use a bot token instead.',
      invalid_state:
        'The installation took longer than 10 minutes, or the page was opened twice. Start again.',
      session_mismatch: 'You returned in another browser or with another account. Sign in and start again.',
      missing_code: 'Slack returned no code. Start again.',
      insufficient_scope: 'Your role cannot manage connections in this environment. Ask an owner or admin.',
      org_install_not_supported:
        'The app was installed for a whole organization. Install it in one workspace instead.',
      no_bot_token: 'Slack returned no bot token. Check that the app requests bot scopes.',
      service_unavailable: 'Slack did not respond. Wait a minute and start again.',
      invalid_code: 'The code was already used or has expired. Start again.',
      bad_redirect_uri:
        'The redirect URL of this service is missing in the app. Add it to the redirect URLs of the Slack app.',
      bad_client_secret:
        'The client secret of the app is wrong. The operator must correct CARILLON_CHATONE_CLIENT_SECRET.',
    } as Record<string, string>,
    other: (code: string) => `Slack returned ${code}. Start again; if it keeps failing, use a bot token.`,
  },
  token: {
    title: 'Use a bot token',
    hint: 'From a Slack app that is installed in the workspace. The token is verified and not shown again.',
    label: 'Bot token',
    labelHint: 'Starts with xoxb-.',
    labelHintTest: 'Starts with xoxb-. A token that starts with xoxb-sandbox needs no workspace.',
    needed: 'Enter a token.',
    submit: 'Connect',
    done: (team: string) => `Connected to ${team}.`,
  },
  test: {
    title: (team: string) => `Send test to ${team}`,
    hint: 'To a user, a channel, or both.',
    user: 'User id',
    userHint: 'Starts with U or W.',
    channel: 'Channel id',
    channelHint: 'Starts with C, G or D. Shown at the bottom of the channel details.',
    needed: 'Enter a user id or a channel id.',
    submit: 'Send test',
  },
};

export const endpoints = {
  add: 'Add endpoint',
  table: 'Endpoints',
  urlBegins: (prefix: string) => `${prefix}…`,
  actions: (label: string) => `Actions for ${label}`,
  edit: 'Edit…',
  remove: 'Delete…',
  empty: 'No endpoints yet',
  emptyTexts: {
    chattwo:
      'In Microsoft Teams, open the channel menu, choose Workflows and create “Post to a channel when a webhook request is received”. Let anyone trigger it, then add its URL here.',
    chatthree:
      'In Discord, open the channel settings, choose Integrations, then Webhooks. Create a webhook and add its URL here.',
  },
  dialog: {
    addTitle: 'Add endpoint',
    editTitle: (label: string) => `Edit ${label}`,
    label: 'Label',
    labelHint: 'Shown to your team, such as “Incidents” or “Sales wins”.',
    labelNeeded: 'Enter a label.',
    url: 'Webhook URL',
    urlHints: {
      chattwo: 'The URL of the workflow. It is a secret, so it is not shown again.',
      chatthree: 'https://discord.com/api/webhooks/… The URL is a secret, so it is not shown again.',
    },
    urlKept: (prefix: string) => `Saved: ${prefix}… Leave empty to keep it.`,
    urlNeeded: 'Enter a URL.',
    keyOptional: 'Key (optional)',
    keyHint: 'Used as recipient.endpoint. Defaults to a key made from the label. Cannot be changed later.',
    username: 'Display name',
    usernameHint: 'A send can override it. Default: the name of the webhook.',
    avatar: 'Avatar URL',
    avatarHint: 'Must be https. A send can override it.',
    added: 'Added. Send a test to check it.',
  },
  codes: {
    chattwo_legacy_connector_url:
      'This is an Office 365 connector URL, and connectors are retired. In the channel menu choose Workflows, create “Post to a channel when a webhook request is received”, let anyone trigger it, and enter its URL.',
    chattwo_url_not_accepted:
      'This is not a workflow URL. Workflow URLs look like https://….logic.azure.com/workflows/… or https://….api.powerplatform.com/…/workflows/….',
    chatthree_url_not_accepted:
      'This is not a webhook URL. Webhook URLs look like https://discord.com/api/webhooks/…/….',
  } as Record<string, string>,
  broken: {
    chattwo:
      'The last call was rejected. Check that the workflow is turned on and that anyone can trigger it. If its URL was regenerated, enter the new one. Sends are retried.',
    chatthree:
      'The last call was rejected. Check that the webhook still exists and that its channel accepts posts. Sends are retried.',
  },
  gone: {
    chattwo:
      'The workflow no longer exists. Create it again in the channel and enter its new URL. Sends fail until then.',
    chatthree:
      'The webhook was deleted, or its token is wrong. Create a new one in the channel settings and enter its URL. Sends fail until then.',
  },
  giveUrl: 'Enter new URL',
  speaks: (name: string) => `Posts as ${name}`,
  removeTitle: (label: string) => `Delete ${label}?`,
  removeText: 'New sends to it are rejected and queued sends fail.',
  removed: 'Deleted.',
};

export const testSend = {
  intro: 'Sends a short message to the endpoint and shows the result here.',
  send: 'Send test',
  title: (name: string) => `Test ${name}`,
  sending: 'Sending…',
  retrying: 'The first attempt failed. Retrying…',
  delivered: 'Delivered.',
  inSandbox: 'Delivered to the sandbox.',
  sent: 'Sent. This channel does not report delivery; check the channel.',
  failed: 'Not delivered.',
  suppressed: 'Suppressed.',
  again: 'Send another',
};
