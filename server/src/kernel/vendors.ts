/**
 * The services behind the neutral names of channels and SMS providers. Requests and responses use the neutral names alone;
 * sentences for people have both.
 */
const vendors: Readonly<Record<string, string>> = {
  chatone: 'Slack',
  chattwo: 'Microsoft Teams',
  chatthree: 'Discord',
  smsone: 'Twilio',
  smstwo: 'Vonage',
};

/** `Slack (chatone)`; a name that needs no explanation is returned unchanged. */
export function withVendor(name: string): string {
  const vendor = vendors[name];
  return vendor === undefined ? name : `${vendor} (${name})`;
}

/** For lists of allowed values: `chatone (Slack)`. */
export function wireNameWithVendor(name: string): string {
  const vendor = vendors[name];
  return vendor === undefined ? name : `${name} (${vendor})`;
}

/** Other common names of these services. */
const aliases: Readonly<Record<string, string>> = { teams: 'chattwo', msteams: 'chattwo', nexmo: 'smstwo' };

/** The name to use in place of a vendor's: `Slack is called chatone`. Returns null when the text is not a vendor. */
export function vendorHint(given: string): { wireName: string; hint: string } | null {
  const folded = given.toLowerCase().replaceAll(/[\s_-]/g, '');
  const wireName =
    aliases[folded] ??
    Object.keys(vendors).find((name) => vendors[name]?.toLowerCase().replaceAll(' ', '') === folded);
  if (wireName === undefined || !Object.hasOwn(vendors, wireName)) return null;
  return { wireName, hint: `${vendors[wireName]} is called ${wireName}` };
}
