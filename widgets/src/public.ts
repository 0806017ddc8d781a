/** The public types of the package, without the implementation; the elements are checked against them. */
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
  category: string | null;
  tags: string[];
  actions: InboxAction[];
  /** The action that the user chose. */
  action_taken: { key: string; at: string } | null;
  snoozed_until: string | null;
}

/** A button of an item. */
export interface InboxAction {
  key: string;
  label: string;
  url: string | null;
  style: 'default' | 'primary' | 'danger';
}

/** A tab with the items of a category, of a tag, or of both at once. */
export interface InboxTab {
  label: string;
  category?: string;
  tag?: string;
}

export type InboxVariant = 'bell' | 'panel' | 'list';
export type PreferencesVariant = 'table' | 'cards' | 'auto';
/** live: the stream is open. polling: the stream is blocked, requests work. offline: the service is unreachable. */
export type Connection = 'connecting' | 'live' | 'polling' | 'offline' | 'unauthorized';

export interface CarillonElementProperties {
  /** The URL of the service; defaults to the one that served the script. */
  url: string | null;
  token: string | null;
  /** A URL of your server that returns `{"token": "…"}`. */
  tokenUrl: string | null;
  /** Called for the first token and after each rejected one. */
  tokenProvider: (() => Promise<string> | string) | null;
  messages: Partial<Messages> | null;
  /** `light`, `dark`, or the preference of the system. */
  theme: string | null;
}

export interface CarillonInboxElement extends HTMLElement, CarillonElementProperties {
  variant: InboxVariant;
  /** Replaces "Notifications". */
  heading: string | null;
  /** The target of action links, e.g. `_blank`. */
  linkTarget: string | null;
  /** Tabs beside the one of all items. As an attribute: JSON. */
  tabs: InboxTab[] | null;
  /**
   * The path of the service worker on the origin of the page: shows a button that turns on push. Empty: only tells the service
   * that the inbox is visible.
   */
  push: string | null;
  /** Null until it is loaded. */
  readonly unreadCount: number | null;
  /** Opens the panel of the bell. */
  open(): void;
  close(): void;
  /** Reloads the newest items. */
  refresh(): Promise<void>;
  /** Of the current tab. */
  markAllRead(): Promise<void>;
  /** Archives the read items of the current tab. */
  archiveRead(): Promise<void>;
  /** Removes this browser from the devices of the user: for the moment when the person signs out. */
  disablePush(): Promise<void>;
}

export interface CarillonPreferencesElement extends HTMLElement, CarillonElementProperties {
  variant: PreferencesVariant;
  /** The channels to show, in order, e.g. `email in_app`; defaults to those in use. */
  channels: string | null;
  hideUnsubscribe: boolean;
  /** Reloads the preferences. */
  refresh(): Promise<void>;
}

/** The `detail` of each event. All events bubble and are composed. */
export interface CarillonEvents {
  'carillon-notification': { item: InboxItem };
  'carillon-unread-count': { unread_count: number };
  /** preventDefault stops the navigation, for client-side routers. */
  'carillon-open': { item: InboxItem };
  /** The user chose a button of an item. preventDefault stops the navigation of a button with a URL. */
  'carillon-action': { item: InboxItem; action: InboxAction };
  'carillon-change': { id: string; as: 'read' | 'unread' | 'archive' | 'snooze' | 'unsnooze' };
  'carillon-toggle': { open: boolean };
  'carillon-connection': { connection: Connection };
  /** The `token` was rejected: set a new one. */
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
