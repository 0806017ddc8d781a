/** The channels as the API names them. */
export const channels = ['email', 'in_app', 'webhook', 'sms', 'chatone', 'chattwo', 'chatthree'] as const;
export type Channel = (typeof channels)[number];

/** The services behind the neutral names of channels and SMS providers. */
const services: Readonly<Record<string, string>> = {
  chatone: 'Slack',
  chattwo: 'Microsoft Teams',
  chatthree: 'Discord',
  smsone: 'Twilio',
  smstwo: 'Vonage',
};

/** What people call it: `Slack`; other names as they are. */
export function serviceName(name: string): string {
  return services[name.toLowerCase()] ?? name;
}

/** `Slack (chatone)`, where people may have to write the name of the API. */
export function titleOf(name: string): string {
  const service = serviceName(name);
  return service === name ? name : `${service} (${name.toLowerCase()})`;
}

/** `chatone (Slack)`, in lists of what to write. */
export function explained(name: string): string {
  const service = serviceName(name);
  return service === name ? name : `${name} (${service})`;
}

/** Whether the given name is the service name of an API name: `slack` for chatone. */
export function isServiceOf(given: string, name: string): boolean {
  const fold = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '');
  const wanted = fold(given);
  return [serviceName(name), serviceName(name).replace('Microsoft ', '')].some(
    (text) => fold(text) === wanted,
  );
}
