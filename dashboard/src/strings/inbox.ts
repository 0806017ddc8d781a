/** What an in-app notification has besides its text. */
export const inbox = {
  tags: 'Tags',
  tagsHint: 'Separated by commas. An inbox can show items with a tag in a tab.',
  tagsWrong: (count: number, length: number) => `At most ${count} tags of ${length} characters.`,
  actions: 'Buttons',
  actionsHint: 'Up to two. The recipient’s choice is sent to webhooks and workflows as inbox.action.',
  add: 'Add button',
  action: (number: number) => `Button ${number}`,
  remove: (number: number) => `Remove button ${number}`,
  label: 'Label',
  labelNeeded: 'Enter a label.',
  key: 'Key',
  keyWrong: 'Use lowercase letters, digits, _ and -. Start with a letter or digit.',
  keyTaken: 'The other button has this key.',
  url: 'Link (optional)',
  style: 'Style',
  styles: { '': 'Default', primary: 'Primary', danger: 'Danger' } as Record<string, string>,
};
