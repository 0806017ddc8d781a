import { svg } from 'lit';

const icon = (path: ReturnType<typeof svg>) => svg`<svg viewBox="0 0 24 24" aria-hidden="true">${path}</svg>`;

export const bellIcon = icon(
  svg`<path d="M6 9a6 6 0 0 1 12 0c0 6 2.5 7.5 2.5 7.5h-17S6 15 6 9"/><path d="M10 20a2.2 2.2 0 0 0 4 0"/>`,
);
export const checkIcon = icon(svg`<path d="m5 12.5 4.5 4.5L19 7.5"/>`);
export const dotIcon = icon(svg`<circle cx="12" cy="12" r="4.5"/>`);
export const archiveIcon = icon(
  svg`<path d="M4 8v10.5A1.5 1.5 0 0 0 5.500 20h13a1.500 1.500 0 0 0 1.500-1.500V8"/><path d="M3 4h18v4H3zM10 12h4"/>`,
);
export const snoozeIcon = icon(svg`<circle cx="12" cy="12" r="8.5"/><path d="M12 7.5V12l3 2"/>`);
export const returnIcon = icon(svg`<path d="M4 5v5h5"/><path d="M4.5 10a8 8 0 1 1-.2 4.5"/>`);
export const closeIcon = icon(svg`<path d="m6 6 12 12M18 6 6 18"/>`);
export const lockIcon = icon(
  svg`<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>`,
);
