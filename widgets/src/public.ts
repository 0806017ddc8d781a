/**
 * What pages see of the elements, without the machinery behind them: these are the types of the package, and the elements
 * are checked against them.
 */
import type { Messages } from './messages.ts';

export interface InboxItem {
  id: string;
  subject: string | null;
  html_body: string | null;
  text_body: string | null;
  action_url: string | null;
  is_read: boolean;
  created_at: string;
  read_at: string | null;
  data: Record<string, unknown>;
}

export type InboxVariant = 'bell' | 'panel' | 'list';
export type PreferencesVariant = 'table' | 'cards' | 'auto';
/** live: told at once. polling: the stream does not get through, requests do. offline: nothing gets through. */
export type Connection = 'connecting' | 'live' | 'polling' | 'offline' | 'unauthorized';

export interface CarillonElementProperties {
  /** Where the service is; the one that served the script unless told. */
  url: string | null;
  token: string | null;
  /** An address of the page's own server that answers with `{"token": "…"}`. */
  tokenUrl: string | null;
  /** Called for the first token, and whenever one was refused. */
  tokenProvider: (() => Promise<string> | string) | null;
  messages: Partial<Messages> | null;
  /** `light`, `dark`, or what the system prefers. */
  theme: string | null;
}

export interface CarillonInboxElement extends HTMLElement, CarillonElementProperties {
  variant: InboxVariant;
  /** Instead of "Notifications". */
  heading: string | null;
  /** Where action links open, e.g. `_blank`. */
  linkTarget: string | null;
  /** Null until it is known. */
  readonly unreadCount: number | null;
  /** Of the bell. */
  open(): void;
  close(): void;
  /** Reads the newest items again. */
  refresh(): Promise<void>;
  markAllRead(): Promise<void>;
}

export interface CarillonPreferencesElement extends HTMLElement, CarillonElementProperties {
  variant: PreferencesVariant;
  /** Which ones, in this order, e.g. `email in_app`; those that are in use unless told. */
  channels: string | null;
  hideUnsubscribe: boolean;
  /** Reads them again. */
  refresh(): Promise<void>;
}

/** The `detail` of each event. All of them bubble and leave shadow trees. */
export interface CarillonEvents {
  'carillon-notification': { item: InboxItem };
  'carillon-unread-count': { unread_count: number };
  /** preventDefault keeps the link from being followed: for routers. */
  'carillon-open': { item: InboxItem };
  'carillon-change': { id: string; as: 'read' | 'unread' | 'archive' };
  'carillon-toggle': { open: boolean };
  'carillon-connection': { connection: Connection };
  /** The `token` was refused: set another. */
  'carillon-token-expired': Record<string, never>;
  'carillon-error': { code: string; status: number | null; message: string; during: string };
  'carillon-preference': { category_key: string; channel: string; opted_in: boolean };
  'carillon-unsubscribe-all': Record<string, never>;
}

declare global {
  interface HTMLElementTagNameMap {
    'carillon-inbox': CarillonInboxElement;
    'carillon-preferences': CarillonPreferencesElement;
  }
}
