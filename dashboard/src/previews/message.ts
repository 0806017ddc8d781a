import type { Channel } from '../strings/common.ts';

/** A message as its recipient gets it, whatever it was read from. */
export interface PreviewMessage {
  channel: Channel;
  subject: string | null;
  html: string | null;
  text: string | null;
  /** Of chat channels and webhooks: the JSON. Of in-app ones: `action_url` and `data`, where they are known. */
  structured: unknown;
  from?: string | null;
  to?: string | null;
  actionUrl?: string | null;
}

export type PreviewView = 'desktop' | 'phone' | 'dark';
