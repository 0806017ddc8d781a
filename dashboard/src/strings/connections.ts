export const connections = {
  title: 'Connections',
  sections: 'Connections by channel',
  descriptions: {
    email:
      'Who your emails come from, and the providers that carry them, in the order in which they are tried.',
    sms: 'The account and the sender of your text messages.',
    chatone: 'The Slack workspaces that you post to. Each installation is one workspace with one bot.',
    chattwo:
      'Microsoft Teams channels that you post to, each by the URL of its workflow. A send names an endpoint by its key.',
    chatthree:
      'Discord channels that you post to, each by the URL of its webhook. A send names an endpoint by its key.',
  },
  inTest: {
    email:
      'This is Test: no email leaves the machine, every one ends in the sandbox. Providers can be saved and verified here, and are used in Live only.',
    sms: 'This is Test: no text message leaves the machine, every one ends in the sandbox. The credentials are checked all the same.',
    chatone:
      'This is Test: no message leaves the machine, every one ends in the sandbox. A token that begins with xoxb-sandbox needs no workspace at all.',
    chattwo:
      'This is Test: no message leaves the machine, every one ends in the sandbox. The URLs are stored and not called.',
    chatthree:
      'This is Test: no message leaves the machine, every one ends in the sandbox. The URLs are stored and not called.',
  },
  inTheApi: 'In the API this channel is called',
  toSandbox: 'Open the sandbox',
  toTrace: 'See what happened',
  sendTest: 'Send a test…',
  lastSuccess: 'Last success',
  lastFailure: 'Last failure',
  lastSaid: (reason: string) => `It said: ${reason}`,
  notUsed: 'Not used yet',
};

/** What to do about what a provider said, by what can be recognised in it. */
export const advice = {
  credentials:
    'It does not accept the credentials. Copy them again from the provider’s console and give them here.',
  lost: 'The key that sealed the secrets of this service has changed. Give the secrets again and save.',
  scope: 'The key works but may not send. Give it the permission to send mail, or make another one.',
  domain: 'The sending domain is not ready. Finish its DNS records at the provider, then verify again.',
  stopped: 'The provider has stopped this account. Sign in there and see what it asks for.',
  privateNetwork:
    'The address is not a public one. If that is meant, the operator of this service can allow it with CARILLON_ALLOW_PRIVATE_NETWORK.',
  name: 'There is no host of this name. Check how it is spelled.',
  tls: 'No encrypted connection could be made. Check the port: 465 wants TLS from the first byte, 587 and 25 do not.',
  unreachable: 'It cannot be reached. Check host and port, and whether a firewall lets this service out.',
  workflow:
    'Open the workflow: it must be switched on and let anyone trigger it. If its URL was made anew, give the new one.',
  webhook: 'The webhook was deleted. Make a new one in the channel’s settings and give its URL.',
  reinstall: 'Add the app to the workspace again.',
  invite: 'Invite the bot to the channel, or let it join public channels by itself.',
  slow: 'It asks us to go slower, and we do. If this stays, ask the provider for a higher rate.',
  noSms:
    'Choose an account of your own below, or ask the operator of this service to set up an SMS provider.',
  other: 'See what the provider shows in its own console, mend it there, then try again.',
};

export const email = {
  sender: 'Sender',
  fromAddress: 'From address',
  fromAddressHint: 'Its domain must be set up at every provider of the chain.',
  managedSender: 'Emails are sent as',
  managedSenderText:
    'The operator of this service fixes the sender while emails go through the operator’s server. Your own From address and name are used once a provider of your own is in the chain.',
  fromName: 'From name',
  fromNameHint: 'What people see; a send may give another.',
  replyTo: 'Reply to',
  replyToHint: 'Where answers go. Empty: to the from address.',
  senderLocked: 'Lock the name',
  senderLockedHint: 'A send cannot give another one.',
  senderLockedManaged: 'Locked by the operator of this service.',
  trackOpens: 'Track opens',
  trackOpensHint:
    'Adds an invisible picture. Many mail programs load it by themselves, so read it as a trend.',
  trackClicks: 'Track clicks',
  trackClicksHint: 'Links lead through this service first.',
  chain: 'Provider chain',
  chainHint:
    'The first one carries every email. When it refuses a message or is down, the next one is tried. Drag a provider to its place, or use the arrows.',
  chainLabel: 'Providers, in the order in which they are tried',
  add: 'Add provider',
  empty: {
    test: 'No provider, and none is needed in Test',
    testText:
      'Every email ends in the sandbox. Add providers here to try out credentials before they go to Live.',
    live: 'No email can be sent yet',
    liveText:
      'Sends are accepted and fail with provider_not_configured until the chain has a provider. An SMTP server is enough to begin with.',
    managed: 'The operator’s own server carries your emails',
    managedText: 'Add a provider to use an account of your own instead.',
  },
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
  verifyFirst: 'Save first: what is verified is what is stored.',
  verified: 'It works.',
  refused: 'It does not work.',
  edit: 'Edit…',
  remove: 'Remove',
  removedNote: 'Taken out of the chain. Save to make it so.',
  callback: 'Callback URL',
  callbackHints: {
    ses: 'Subscribe an SNS topic to it over HTTPS (raw message delivery off), make the topic the event destination of the configuration set, and give both here.',
    sendgrid:
      'Paste it under Mail Settings, Event Webhook; switch signature verification on and give the key here.',
    postmark: 'Paste it under Webhooks with basic authentication, and give the same user and password here.',
    resend: 'Paste it under Webhooks, and give the signing secret here.',
    mailgun: 'Paste it under Webhooks of the domain, and give the HTTP webhook signing key here.',
  } as Record<string, string>,
  callbackMissing: 'Until then its reports of bounces and complaints are refused.',
  health: {
    outage: (failed: number, all: number) =>
      `It fails: ${failed} of ${all} messages in the last five minutes. It is tried last until a message gets through, so the chain carries on without it. Verify it, and look at the provider’s status page.`,
    degraded: (failed: number, all: number) =>
      `Some messages fail: ${failed} of ${all} in the last five minutes. Look at the provider’s status page; the chain catches what it drops.`,
    alone: 'It is the only one that is switched on: a second provider would carry what it drops.',
    since: 'Since',
    paused: 'It asked us to slow down. It goes on',
    lately: (all: number) => `${all} messages in the last five minutes, all well`,
    quiet: 'Nothing in the last five minutes',
    idle: 'No messages in the last five minutes. It was failing before, so it is tried last until a message gets through. Verify it to see whether it works again.',
  },
  dialog: {
    addTitle: 'Add a provider',
    editTitle: (name: string) => `Edit ${name}`,
    hint: 'Nothing changes until you save the page.',
    kind: 'Kind',
    name: 'Name',
    nameHint: 'Shown in events and traces. Letters, digits, spaces, dots, dashes.',
    namePlaceholder: 'As its kind',
    kept: (masked: string) => `Stored: ${masked}. Leave it empty to keep it.`,
    keptPlaceholder: 'Unchanged',
    again: (field: string) =>
      `Give it again: “${field}” has changed, and secrets are not sent to a new place by themselves.`,
    clear: 'Clear',
    cleared: 'It is cleared when you save.',
    keep: 'Keep it',
    needed: 'This is needed.',
    apply: 'Apply',
    addApply: 'Add to the chain',
    more: 'For callbacks and special cases',
  },
  kinds: {
    smtp: 'SMTP server',
    ses: 'Amazon SES',
    sendgrid: 'SendGrid',
    postmark: 'Postmark',
    resend: 'Resend',
    mailgun: 'Mailgun',
    sandbox: 'Sandbox',
  },
  sandboxHint: 'Keeps every email in this service and sends nothing. For rehearsals.',
  fields: {
    host: ['Host', 'smtp.example.com, without a port.'],
    port: ['Port', '587 unless told; 465 with TLS from the first byte.'],
    secure: ['TLS from the first byte', 'Otherwise STARTTLS is used when the server offers it.'],
    require_tls: ['Require TLS', 'Send nothing to a server that offers no TLS.'],
    username: ['User name', 'For servers that ask who is calling.'],
    password: ['Password', 'Goes with the user name.'],
    region: ['Region', 'For example eu-west-1.'],
    mailgun_region: ['Region', 'us, unless told, or eu.'],
    access_key_id: ['Access key id', 'Of a user that may call ses:SendEmail and ses:GetAccount.'],
    secret_access_key: ['Secret access key', 'Goes with the access key id.'],
    configuration_set: ['Configuration set', 'The one whose event destination publishes to SNS.'],
    sns_topic_arn: ['SNS topic ARN', 'The topic whose callbacks are taken. Without it all are refused.'],
    api_key: ['API key', 'One that may send is enough.'],
    server_token: ['Server token', 'The API token of the Postmark server.'],
    message_stream: ['Message stream', 'outbound unless told.'],
    domain: ['Domain', 'The sending domain, mg.example.com.'],
    webhook_public_key: ['Webhook verification key', 'Of the signed event webhook.'],
    webhook_username: ['Webhook user', 'What Postmark sends with callbacks.'],
    webhook_password: ['Webhook password', '8 characters or more.'],
    webhook_secret: ['Webhook signing secret', 'Begins with whsec_.'],
    webhook_signing_key: ['Webhook signing key', 'The HTTP webhook signing key of the account.'],
    base_url: ['Base URL', 'For other regions and simulators. Empty: the provider’s own.'],
  } as Record<string, [string, string]>,
  save: 'Save changes',
  discard: 'Discard',
  saved: 'Saved.',
  providerProblem: (name: string, problem: string) => `${name}: ${problem}`,
};

export const sms = {
  account: 'Account',
  none: {
    test: 'Nothing is set up, and nothing is needed in Test',
    testText: 'Text messages end in the sandbox. Set up an account here to have its credentials checked.',
    live: 'No text message can be sent yet',
    liveText: 'Sends are accepted and fail with provider_not_configured until there is an account.',
  },
  setUp: 'Set up SMS',
  edit: 'Change',
  remove: 'Remove…',
  kind: 'Who carries the messages',
  kinds: { managed: 'Managed', smsone: 'Twilio', smstwo: 'Vonage' },
  kindHints: {
    managed: 'The provider of this service’s operator, with the operator’s sender. Nothing to fill in.',
    smsone: 'Your own Twilio account: account SID and auth token. In the API: smsone.',
    smstwo: 'Your own Vonage account: API key and secret. In the API: smstwo.',
  },
  fromNumber: 'From number',
  fromNumberHint: 'With the country code: +14155550123. Give this, the sender id, or both.',
  fromSenderId: 'Sender id',
  fromSenderIdHint:
    'Up to 11 letters and digits. Used wherever it is delivered; to the United States and Canada messages come from the number.',
  fields: {
    smsone_account_sid: ['Account SID', 'AC and 32 hexadecimal digits.'],
    smsone_auth_token: ['Auth token', 'It also proves that receipts are genuine.'],
    smstwo_api_key: ['API key', 'Names the account.'],
    smstwo_api_secret: ['API secret', 'Goes with the key.'],
    smstwo_signature_secret: ['Signature secret', 'With it, receipts must be signed.'],
  } as Record<string, [string, string]>,
  kept: 'Stored. Leave it empty to keep it, for as long as the account is the same.',
  unsigned: 'Forget the signature secret',
  unsignedHint: 'Receipts are then taken without a signature.',
  checked: 'The credentials are checked with the provider when you save, for up to 5 seconds.',
  save: 'Save and check',
  saved: 'Saved, and the provider accepts the credentials.',
  savedRefused: 'Saved, but the provider does not accept the credentials.',
  status: 'Credentials',
  valid: 'Accepted',
  invalid: 'Not accepted',
  checkedAt: 'Checked',
  detail: 'It said',
  callback: 'Receipts and replies',
  callbackHint:
    'Receipts are asked for with every message. For replies (STOP), paste this as the URL for incoming messages of your number.',
  noSender: 'The operator’s',
  removeTitle: 'Remove the SMS account?',
  removeText:
    'The credentials are deleted. Text messages fail with provider_not_configured until you set one up again.',
  removeTextTest: 'The credentials are deleted. Text messages go on ending in the sandbox.',
  removeConfirm: 'Remove',
  removeWord: 'sms',
  removed: 'Removed.',
};

export const chatone = {
  install: 'Add to Slack',
  paste: 'Use a bot token',
  table: 'Installations',
  empty: 'No workspace yet',
  emptyText:
    'Add the app to a Slack workspace: you are asked there, and come back here. If you run a Slack app of your own already, use its bot token instead.',
  emptyTextTest: 'To try it without a workspace, use a bot token that begins with xoxb-sandbox.',
  bot: 'Bot',
  installed: 'Installed',
  autoJoin: 'Join public channels by itself',
  autoJoinHint: 'When a send names a public channel that the bot is not in, it joins and posts.',
  scopes: 'Permissions',
  actions: (team: string) => `Actions for ${team}`,
  remove: 'Remove…',
  removeTitle: (team: string) => `Remove ${team}?`,
  removeText:
    'Its token is revoked, so the bot can do nothing there any more. Notifications that are still queued for it fail. To come back, add the app again.',
  removeConfirm: 'Remove and revoke',
  removed: 'Removed, and its token revoked.',
  broken:
    'It refused the last call. Check in the workspace that the app may still do what it did; sends are tried again meanwhile.',
  gone: 'Its token is dead: the app was removed there, or the token was revoked. Nothing is sent until you add the app again.',
  again: 'Add the app again',
  result: {
    installed: (team: string) => `Installed in ${team}. Send a test to see it work.`,
    installedPlain: 'Installed. Send a test to see it work.',
    failed: 'It was not installed.',
    retry: 'Try again',
    dismiss: 'Dismiss',
    codes: {
      access_denied: 'Somebody pressed Cancel in the workspace. Nothing was changed; try again when you may.',
      chatone_not_configured:
        'This service has no Slack app of its own: its operator has to set CARILLON_CHATONE_CLIENT_ID and CARILLON_CHATONE_CLIENT_SECRET. A bot token works without them.',
      invalid_state: 'It took longer than 10 minutes, or the page was opened twice. Begin again.',
      session_mismatch: 'You came back in another browser or as somebody else. Sign in here and begin again.',
      missing_code: 'The workspace sent you back without an answer. Begin again.',
      insufficient_scope: 'Your role may not set up channels in this environment. Ask an owner or admin.',
      org_install_not_supported:
        'The app was installed for a whole organization. Install it in one workspace instead.',
      no_bot_token: 'The workspace gave no bot. Check that the app asks for bot permissions.',
      service_unavailable: 'The workspace’s service did not answer. Wait a minute and begin again.',
      invalid_code: 'The answer of the workspace was used or is too old. Begin again.',
      bad_redirect_uri:
        'The app does not know the address of this service. Add its callback address to the redirect URLs of the app.',
      bad_client_secret:
        'The client secret of the app is wrong. Its operator has to correct CARILLON_CHATONE_CLIENT_SECRET.',
    } as Record<string, string>,
    other: (code: string) => `The workspace said ${code}. Begin again; if it stays, use a bot token.`,
  },
  token: {
    title: 'Use a bot token',
    hint: 'Of a Slack app that is installed in the workspace already. It is checked, and not shown again.',
    label: 'Bot token',
    labelHint: 'Begins with xoxb-.',
    labelHintTest: 'Begins with xoxb-. One that begins with xoxb-sandbox needs no workspace.',
    needed: 'Give the token.',
    submit: 'Connect',
    done: (team: string) => `Connected to ${team}.`,
  },
  test: {
    title: (team: string) => `Send a test to ${team}`,
    hint: 'To a person, to a channel, or to both.',
    user: 'User id',
    userHint: 'Begins with U or W.',
    channel: 'Channel id',
    channelHint: 'Begins with C, G or D. At the bottom of the channel’s details.',
    needed: 'Give one of the two.',
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
      'In Microsoft Teams, open the channel’s menu, choose Workflows, and make “Post to a channel when a webhook request is received”. Let anyone trigger it, copy its URL and add it here.',
    chatthree:
      'In Discord, open the channel’s settings, choose Integrations and then Webhooks, make one, copy its URL and add it here.',
  },
  dialog: {
    addTitle: 'Add an endpoint',
    editTitle: (label: string) => `Edit ${label}`,
    label: 'Label',
    labelHint: 'For your team: “Incidents”, “Sales wins”.',
    labelNeeded: 'Give it a label.',
    url: 'Webhook URL',
    urlHints: {
      chattwo: 'Of the workflow. Whoever knows it may post, so it is not shown again.',
      chatthree: 'https://discord.com/api/webhooks/… Whoever knows it may post, so it is not shown again.',
    },
    urlKept: (prefix: string) => `Stored: ${prefix}… Leave it empty to keep it.`,
    urlNeeded: 'Give the URL.',
    keyOptional: 'Key (optional)',
    keyHint: 'What a send names as recipient.endpoint. Made of the label unless told; it never changes.',
    username: 'Shown name',
    usernameHint: 'Who speaks, unless a send says so. Empty: as the webhook is called.',
    avatar: 'Picture URL',
    avatarHint: 'https, unless a send gives another.',
    added: 'Added. Send a test to see it work.',
  },
  codes: {
    chattwo_legacy_connector_url:
      'This is the URL of a connector, and those are retired. In the channel’s menu choose Workflows, make “Post to a channel when a webhook request is received”, let anyone trigger it, and give its URL.',
    chattwo_url_not_accepted:
      'This is not the URL of a workflow. It looks like https://….logic.azure.com/workflows/… or https://….api.powerplatform.com/…/workflows/….',
    chatthree_url_not_accepted:
      'This is not the URL of a webhook. It looks like https://discord.com/api/webhooks/…/….',
  } as Record<string, string>,
  broken: {
    chattwo:
      'It refused the last call. Open the workflow: it must be switched on and let anyone trigger it. If its URL was made anew, give the new one. Sends are tried again meanwhile.',
    chatthree:
      'It refused the last call. Check that the webhook still exists and that its channel takes posts. Sends are tried again meanwhile.',
  },
  gone: {
    chattwo:
      'The workflow is gone. Make it again in the channel and give its new URL. Nothing is sent until then.',
    chatthree:
      'The webhook was deleted, or its token is wrong. Make a new one in the channel’s settings and give its URL. Nothing is sent until then.',
  },
  giveUrl: 'Give a new URL',
  speaks: (name: string) => `Speaks as ${name}`,
  removeTitle: (label: string) => `Delete ${label}?`,
  removeText: 'Its URL is deleted here. Sends that name it are refused, and those still queued fail.',
  removed: 'Deleted.',
};

export const testSend = {
  intro: 'Sends one short message to the endpoint, and shows here what becomes of it.',
  send: 'Send test',
  title: (name: string) => `Test of ${name}`,
  sending: 'On its way…',
  retrying: 'It did not get through at once and is tried again.',
  delivered: 'It arrived.',
  inSandbox: 'It arrived in the sandbox, where every message of Test ends.',
  sent: 'It was handed over. This channel does not report whether it was seen; look there.',
  failed: 'It did not arrive.',
  suppressed: 'It was held back.',
  again: 'Send another',
};
