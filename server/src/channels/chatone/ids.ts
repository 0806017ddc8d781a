/** U… and, in large organizations, W…. */
export function isUserId(text: string): boolean {
  return /^[UW][A-Za-z0-9]+$/.test(text);
}

/** Channels (C…), private ones of old (G…), and direct messages (D…). */
export function isConversationId(text: string): boolean {
  return /^[CGD][A-Za-z0-9]+$/.test(text);
}
