import {
  type ComponentPropsWithoutRef,
  createElement,
  type ForwardRefExoticComponent,
  forwardRef,
  type ReactNode,
  type Ref,
  type RefAttributes,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react';
import './inbox.ts';
import './preferences.ts';
import type {
  CarillonElementProperties,
  CarillonEvents,
  CarillonInboxElement,
  CarillonPreferencesElement,
  InboxVariant,
  PreferencesVariant,
} from './public.ts';

export { type Messages, registerMessages } from './messages.ts';
export type * from './public.ts';

type Given<Properties> = { [Name in keyof Properties]?: Properties[Name] | undefined };
type Handler<Type extends keyof CarillonEvents> =
  | ((event: CustomEvent<CarillonEvents[Type]>) => void)
  | undefined;
type HtmlProps = Omit<ComponentPropsWithoutRef<'div'>, 'onError' | 'onChange' | 'onToggle' | 'children'>;

interface CommonProps extends HtmlProps, Given<CarillonElementProperties> {
  onError?: Handler<'carillon-error'>;
  onTokenExpired?: Handler<'carillon-token-expired'>;
  children?: ReactNode;
}

export interface CarillonInboxProps
  extends CommonProps,
    Given<Pick<CarillonInboxElement, 'variant' | 'heading' | 'linkTarget' | 'tabs' | 'push'>> {
  onNotification?: Handler<'carillon-notification'>;
  onUnreadCount?: Handler<'carillon-unread-count'>;
  onOpen?: Handler<'carillon-open'>;
  onAction?: Handler<'carillon-action'>;
  onChange?: Handler<'carillon-change'>;
  onToggle?: Handler<'carillon-toggle'>;
  onConnection?: Handler<'carillon-connection'>;
}

export interface CarillonPreferencesProps
  extends CommonProps,
    Given<Pick<CarillonPreferencesElement, 'variant' | 'channels' | 'hideUnsubscribe'>> {
  onPreference?: Handler<'carillon-preference'>;
  onUnsubscribeAll?: Handler<'carillon-unsubscribe-all'>;
}

type Events = Record<string, keyof CarillonEvents>;
type Wrapped<Element, Props> = ForwardRefExoticComponent<Props & RefAttributes<Element>>;

const commonEvents: Events = { onError: 'carillon-error', onTokenExpired: 'carillon-token-expired' };
const commonProperties = ['url', 'token', 'tokenUrl', 'tokenProvider', 'messages', 'theme', 'variant'];

export const CarillonInbox: Wrapped<CarillonInboxElement, CarillonInboxProps> = wrap(
  'carillon-inbox',
  [...commonProperties, 'heading', 'linkTarget', 'tabs', 'push'],
  {
    ...commonEvents,
    onNotification: 'carillon-notification',
    onUnreadCount: 'carillon-unread-count',
    onOpen: 'carillon-open',
    onAction: 'carillon-action',
    onChange: 'carillon-change',
    onToggle: 'carillon-toggle',
    onConnection: 'carillon-connection',
  },
);

export const CarillonPreferences: Wrapped<CarillonPreferencesElement, CarillonPreferencesProps> = wrap(
  'carillon-preferences',
  [...commonProperties, 'channels', 'hideUnsubscribe'],
  { ...commonEvents, onPreference: 'carillon-preference', onUnsubscribeAll: 'carillon-unsubscribe-all' },
);

function wrap<Element extends HTMLElement, Props extends object>(
  tag: string,
  properties: string[],
  events: Events,
): Wrapped<Element, Props> {
  const Wrapper = forwardRef<Element, Record<string, unknown>>((props, outer) =>
    createElement(tag, useElementProps(props, outer, properties, events)),
  );
  Wrapper.displayName = tag;
  // The properties exist twice, as types and as names, and React knows neither.
  return Wrapper as unknown as Wrapped<Element, Props>;
}

/** Sets properties and events by hand: React 18 supports neither on custom elements, and React 19 only some names. */
function useElementProps<Element extends HTMLElement>(
  props: Record<string, unknown>,
  outer: Ref<Element>,
  properties: string[],
  events: Events,
): Record<string, unknown> {
  const element = useRef<Element>(null);
  const latest = useRef(props);
  useImperativeHandle<Element | null, Element | null>(outer, () => element.current, []);
  useLayoutEffect(() => {
    latest.current = props;
    const given = properties.filter((name) => props[name] !== undefined);
    Object.assign(element.current ?? {}, Object.fromEntries(given.map((name) => [name, props[name]])));
  });
  useLayoutEffect(() => {
    const end = new AbortController();
    for (const [prop, type] of Object.entries(events)) {
      const listener = (event: Event) =>
        (latest.current[prop] as ((event: Event) => void) | undefined)?.(event);
      element.current?.addEventListener(type, listener, { signal: end.signal });
    }
    return () => end.abort();
  }, [events]);
  const rest = Object.entries(props).filter(([name]) => !properties.includes(name) && !(name in events));
  return { ...Object.fromEntries(rest), ref: element };
}

interface ElementAttributes<Element> extends ComponentPropsWithoutRef<'div'> {
  ref?: Ref<Element>;
  url?: string;
  token?: string;
  'token-url'?: string;
  theme?: 'light' | 'dark';
}

/** For direct use of the elements in JSX. */
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'carillon-inbox': ElementAttributes<CarillonInboxElement> & {
        variant?: InboxVariant;
        heading?: string;
        'link-target'?: string;
        /** JSON. */
        tabs?: string;
        push?: string;
      };
      'carillon-preferences': ElementAttributes<CarillonPreferencesElement> & {
        variant?: PreferencesVariant;
        channels?: string;
        'hide-unsubscribe'?: boolean;
      };
    }
  }
}
