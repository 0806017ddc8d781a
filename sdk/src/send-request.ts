/** These fields, neither left out nor null. */
type Given<Fields, Names extends keyof Fields> = { [Name in Names]-?: NonNullable<Fields[Name]> };
type OneOf<Fields, Names extends keyof Fields> = { [Name in Names]: Given<Fields, Name> }[Names];

interface AnySend {
  channel: string;
  recipient: {
    address?: unknown;
    external_user_id?: unknown;
    endpoint?: unknown;
    chatone_user_id?: unknown;
    chatone_channel_id?: unknown;
    chattwo_endpoint_id?: unknown;
    chatthree_endpoint_id?: unknown;
  };
  subject?: unknown;
  html_body?: unknown;
  text_body?: unknown;
  template_key?: unknown;
}

type To<
  Fields extends AnySend,
  Channel extends string,
  Recipient extends keyof Fields['recipient'],
  Content,
> = Omit<Fields, 'channel' | 'recipient'> & {
  channel: Channel;
  recipient: Fields['recipient'] & OneOf<Fields['recipient'], Recipient>;
} & Content;

type Template<Fields extends AnySend> = Given<Fields, 'template_key'>;

/**
 * A send with what its channel needs: who gets it, and a template or inline content. The service checks the same again, and
 * also what types cannot tell.
 */
export type ByChannel<Fields extends AnySend> =
  | To<
      Fields,
      'email',
      'address' | 'external_user_id',
      Template<Fields> | (Given<Fields, 'subject'> & OneOf<Fields, 'html_body' | 'text_body'>)
    >
  | To<Fields, 'sms', 'address' | 'external_user_id', OneOf<Fields, 'template_key' | 'text_body'>>
  | To<
      Fields,
      'in_app',
      'address' | 'external_user_id',
      OneOf<Fields, 'template_key' | 'html_body' | 'text_body'>
    >
  | To<Fields, 'webhook', 'address' | 'endpoint', unknown>
  | To<
      Fields,
      'chatone',
      'chatone_user_id' | 'chatone_channel_id' | 'address' | 'external_user_id',
      Template<Fields>
    >
  | To<Fields, 'chattwo', 'endpoint' | 'chattwo_endpoint_id' | 'address', Template<Fields>>
  | To<Fields, 'chatthree', 'endpoint' | 'chatthree_endpoint_id' | 'address', Template<Fields>>;
