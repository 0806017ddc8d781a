import { command } from '../command.ts';

export const preferenceLink = command({
  name: 'preferences link',
  summary: 'Print the link to the preference page of a user',
  arguments: '<user>',
  takes: [1, 1],
  details: 'Everybody with the link can change what the user receives. It does not expire.',
  options: {},
  examples: [{ command: 'carillon preferences link user_123', says: 'a page that works without JavaScript' }],
  async run({ io, json, client }, _values, [user = '']) {
    const link = await client().preferences.getLink(user);
    io.out(json ? JSON.stringify(link) : link.url);
  },
});
