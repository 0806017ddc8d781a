/** User ids start with U or, in large organizations, with W. */
export function isUserId(text: string): boolean {
  return /^[UW][A-Za-z0-9]+$/.test(text);
}

/** Conversation ids: channels (C…), private channels of the older kind (G…), and direct messages (D…). */
export function isConversationId(text: string): boolean {
  return /^[CGD][A-Za-z0-9]+$/.test(text);
}
