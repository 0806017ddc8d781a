/**
 * Positions the panel below its button, or above when there is more room, aligned with its end and inside the window.
 */
export function place(panel: HTMLElement, button: HTMLElement): void {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const { innerWidth, innerHeight } = window;
  const margin = 8;
  const isRtl = getComputedStyle(button).direction === 'rtl';
  const wantedLeft = isRtl ? left : right - width;
  const below = bottom + margin;
  const fitsBelow = below + height <= innerHeight - margin || top < innerHeight / 2;
  const wantedTop = fitsBelow ? below : top - height - margin;
  const within = (wanted: number, size: number, room: number) =>
    Math.max(margin, Math.min(wanted, room - size - margin));
  panel.style.left = `${within(wantedLeft, width, innerWidth)}px`;
  panel.style.top = `${within(wantedTop, height, innerHeight)}px`;
}
