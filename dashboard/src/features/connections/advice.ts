import { advice } from '../../strings/connections.ts';

/** The most specific pattern comes first: a message may match several. */
const signs: [RegExp, string][] = [
  [/(cannot|no longer) be (opened|decrypted)/i, advice.lost],
  [/the workflow/i, advice.workflow],
  [/webhook/i, advice.webhook],
  [/install the app|app was removed|token_revoked|invalid_auth/i, advice.reinstall],
  [/not_in_channel|channel_not_found/i, advice.invite],
  [/no SMS provider/i, advice.noSms],
  [/not a public address|PRIVATE_NETWORK/i, advice.privateNetwork],
  [/lacks the scope|missing_scope|restricted/i, advice.scope],
  [/domain is|domain .*not/i, advice.domain],
  [/suspended|paused|closed account|inactive/i, advice.stopped],
  [/\b429\b|slow down|slower|rate/i, advice.slow],
  [/\b(401|403|530|534|535|538)\b|auth|credential|api key|token|denied|unauthori[sz]ed/i, advice.credentials],
  [/resolve|ENOTFOUND|EAI_/i, advice.name],
  [/TLS|SSL|certificate|EPROTO/i, advice.tls],
  [/no (connection|answer)|ECONN|ETIMEDOUT|timed? ?out|hung up|closed before|refused/i, advice.unreachable],
];

/** Returns the next step for an error message of a provider or of the connection to it. */
export function adviceOn(detail: string): string {
  return signs.find(([sign]) => sign.test(detail))?.[1] ?? advice.other;
}
