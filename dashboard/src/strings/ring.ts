/** When items of the inbox ring devices. */
export const ring = {
  mode: 'Push',
  asSettings: 'Default (push settings)',
  asCategory: 'As the category says',
  templateHint: 'When items of this template ring the devices of the user, in every language.',
  modes: {
    always: 'Always, at once',
    unseen: 'When not seen in time',
    never: 'Never, inbox only',
  },
  seconds: 'Seconds until it rings',
  secondsHint: 'Rings if the item is not read within this time.',
  secondsWrong: 'Enter a whole number from 1 to 86,400.',
  summary: (mode: 'always' | 'unseen' | 'never', seconds: number | string | null) =>
    mode === 'unseen' ? `When not seen within ${seconds} seconds` : ring.modes[mode],
};
