import {
  type ComponentPropsWithoutRef,
  createElement,
  type ForwardRefExoticComponent,
  forwardRef,
  type Ref,
  type RefAttributes,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react';
import type { CarillonInbox as InboxElement, InboxItem, InboxVariant } from './inbox.ts';
import './inbox.ts';
import type { Messages } from './messages.ts';
import type { CarillonPreferences as PreferencesElement, PreferencesVariant } from './preferences.ts';
import './preferences.ts';

export type { InboxItem, Messages };
export { registerMessages } from './messages.ts';

interface CommonProps extends Omit<ComponentPropsWithoutRef<'div'>, 'onError'> {
  /** Where the service is. */
  url?: string;
  token?: string;
  /** An address of your own server that answers with `{"token": "…"}`. */
  tokenUrl?: string;
  /** Called for the first token, and whenever one was refused. */
  tokenProvider?: () => Promise<string> | string;
  messages?: Partial<Messages>;
  theme?: 'light' | 'dark';
  onError?: (event: CustomEvent<{ code: string; status: number | null; message: string; during: string }>) => void;
  onTokenExpired?: (event: CustomEvent<Record<string, never>>) => void;
}

export interface CarillonInboxProps extends Omit<CommonProps, 'onChange' | 'onToggle'> {
  variant?: InboxVariant;
  heading?: string;
  linkTarget?: string;
  onNotification?: (event: CustomEvent<{ item: InboxItem }>) => void;
  onUnreadCount?: (event: CustomEvent<{ unread_count: number }>) => void;
  /** preventDefault keeps the link from being followed: for routers. */
  onOpen?: (event: CustomEvent<{ item: InboxItem }>) => void;
  onChange?: (event: CustomEvent<{ id: string; as: 'read' | 'unread' | 'archive' }>) => void;
  onToggle?: (event: CustomEvent<{ open: boolean }>) => void;
  onConnection?: (event: CustomEvent<{ connection: string }>) => void;
}

export interface CarillonPreferencesProps extends CommonProps {
  variant?: PreferencesVariant;
  channels?: string;
  hideUnsubscribe?: boolean;
  onPreference?: (event: CustomEvent<{ category_key: string; channel: string; opted_in: boolean }>) => void;
  onUnsubscribeAll?: (event: CustomEvent<Record<string, never>>) => void;
}

const commonEvents = { onError: 'carillon-error', onTokenExpired: 'carillon-token-expired' };
const commonProperties = ['url', 'token', 'tokenUrl', 'tokenProvider', 'messages', 'theme', 'variant'];

export const CarillonInbox = wrap<InboxElement, CarillonInboxProps>(
  'carillon-inbox',
  [...commonProperties, 'heading', 'linkTarget'],
  {
    ...commonEvents,
    onNotification: 'carillon-notification',
    onUnreadCount: 'carillon-unread-count',
    onOpen: 'carillon-open',
    onChange: 'carillon-change',
    onToggle: 'carillon-toggle',
    onConnection: 'carillon-connection',
  },
);

export const CarillonPreferences = wrap<PreferencesElement, CarillonPreferencesProps>(
  'carillon-preferences',
  [...commonProperties, 'channels', 'hideUnsubscribe'],
  { ...commonEvents, onPreference: 'carillon-preference', onUnsubscribeAll: 'carillon-unsubscribe-all' },
);

/** Properties and events are set by hand: React 18 knows neither on custom elements, and React 19 only some names. */
function wrap<Element extends HTMLElement, Props extends object>(
  tag: string,
  properties: string[],
  events: Record<string, string>,
): ForwardRefExoticComponent<Props & RefAttributes<Element>> {
  const Wrapped = forwardRef((props: Props, outer: Ref<Element | null>) => {
    const element = useRef<Element>(null);
    const latest = useRef(props as Record<string, unknown>);
    useImperativeHandle<Element | null, Element | null>(outer, () => element.current, []);
    useLayoutEffect(() => {
      const given = props as Record<string, unknown>;
      latest.current = given;
      const target = element.current as unknown as Record<string, unknown>;
      for (const name of properties) {
        if (name in given) target[name] = given[name];
      }
    });
    useLayoutEffect(() => {
      const listeners = Object.entries(events).map(([prop, type]) => {
        const listener = (event: Event) => (latest.current[prop] as ((event: Event) => void) | undefined)?.(event);
        return { type, listener };
      });
      const target = element.current;
      for (const { type, listener } of listeners) target?.addEventListener(type, listener);
      return () => {
        for (const { type, listener } of listeners) target?.removeEventListener(type, listener);
      };
    }, []);
    const rest = Object.entries(props).filter(([name]) => !properties.includes(name) && !(name in events));
    return createElement(tag, { ...Object.fromEntries(rest), ref: element });
  });
  Wrapped.displayName = tag;
  return Wrapped as unknown as ForwardRefExoticComponent<Props & RefAttributes<Element>>;
}

/** For those who write `<carillon-inbox>` in JSX themselves. */
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'carillon-inbox': ElementAttributes<InboxElement> & {
        variant?: InboxVariant;
        heading?: string;
        'link-target'?: string;
      };
      'carillon-preferences': ElementAttributes<PreferencesElement> & {
        variant?: PreferencesVariant;
        channels?: string;
        'hide-unsubscribe'?: boolean;
      };
    }
  }
}

type ElementAttributes<Element> = ComponentPropsWithoutRef<'div'> & {
  ref?: Ref<Element>;
  url?: string;
  token?: string;
  'token-url'?: string;
  theme?: 'light' | 'dark';
};
