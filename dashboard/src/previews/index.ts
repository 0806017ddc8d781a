/** Messages as their recipients see them. */
export type { PreviewMessage, PreviewView } from './message.ts';
export { MessagePreview } from './preview.tsx';
export { PreviewSwitch } from './switch.tsx';
