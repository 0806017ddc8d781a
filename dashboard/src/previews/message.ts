import type { Channel } from '../strings/common.ts';

/** A message as its recipient gets it, independent of its source. */
export interface PreviewMessage {
  channel: Channel;
  subject: string | null;
  html: string | null;
  text: string | null;
  /** The JSON of chat channels and webhooks; for in-app items `action_url`, `data`, `tags` and `actions`, where known. */
  structured: unknown;
  from?: string | null;
  to?: string | null;
  actionUrl?: string | null;
}

export type PreviewView = 'desktop' | 'phone' | 'dark';
