import { css } from 'lit';

/** The common colours and sizes. The page can set every `--carillon-*` property. */
export const theme = css`
  :host {
    color-scheme: light dark;
    --_text: var(--carillon-text, light-dark(#1c2129, #e6e8ee));
    --_muted: var(--carillon-muted, light-dark(#5a6472, #a0a9b8));
    --_background: var(--carillon-background, light-dark(#ffffff, #16181d));
    --_hover: var(--carillon-hover, light-dark(#f4f6f9, #1f232b));
    --_unread: var(--carillon-unread, light-dark(#f2f6ff, #1a2130));
    --_border: var(--carillon-border, light-dark(#e3e7ed, #2c313b));
    --_accent: var(--carillon-accent, light-dark(#2f5bd8, #86a5ff));
    --_on-accent: var(--carillon-on-accent, light-dark(#ffffff, #0e1424));
    --_badge: var(--carillon-badge, light-dark(#d02f3f, #ff8790));
    --_on-badge: var(--carillon-on-badge, light-dark(#ffffff, #2b0509));
    --_danger: var(--carillon-danger, light-dark(#b3261e, #ff9a93));
    --_radius: var(--carillon-radius, 12px);
    --_shadow: var(
      --carillon-shadow,
      0 0 0 1px light-dark(rgb(16 24 40 / 6%), rgb(255 255 255 / 9%)),
      0 12px 32px -8px light-dark(rgb(16 24 40 / 24%), rgb(0 0 0 / 70%))
    );
    color: var(--_text);
    font: var(--carillon-font, 14px/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif);
    text-align: start;
    -webkit-text-size-adjust: 100%;
  }
  :host([theme='light']) {
    color-scheme: light;
  }
  :host([theme='dark']) {
    color-scheme: dark;
  }
  :host([hidden]) {
    display: none !important;
  }
  *,
  ::before,
  ::after {
    box-sizing: border-box;
  }
  button {
    appearance: none;
    border: 0;
    padding: 0;
    margin: 0;
    background: none;
    color: inherit;
    font: inherit;
    letter-spacing: inherit;
    text-align: inherit;
    cursor: pointer;
    -webkit-tap-highlight-color: transparent;
  }
  button:disabled {
    cursor: default;
  }
  :focus {
    outline: none;
  }
  :focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
  .sr-only {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .text-button {
    border-radius: 6px;
    padding: 3px 8px;
    color: var(--_accent);
    font-weight: 550;
    font-size: 0.93em;
  }
  .text-button:hover:not(:disabled) {
    background: var(--_hover);
  }
  .text-button:disabled {
    color: var(--_muted);
  }
  .notice {
    display: flex;
    align-items: center;
    justify-content: center;
    gap: 8px;
    padding: 6px 14px;
    background: var(--_hover);
    color: var(--_muted);
    font-size: 0.93em;
    border-block-end: 1px solid var(--_border);
  }
  .notice.problem {
    color: var(--_danger);
  }
  .blank {
    display: grid;
    justify-items: center;
    align-content: center;
    gap: 4px;
    padding: 40px 24px;
    min-block-size: 180px;
    color: var(--_muted);
    text-align: center;
  }
  .blank strong {
    color: var(--_text);
    font-weight: 600;
  }
  .blank svg {
    inline-size: 32px;
    block-size: 32px;
    margin-block-end: 8px;
    opacity: 0.7;
  }
  svg {
    display: block;
    inline-size: 18px;
    block-size: 18px;
    fill: none;
    stroke: currentColor;
    stroke-width: 1.8;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  .bone {
    border-radius: 5px;
    background: var(--_border);
    animation: breathe 1.4s ease-in-out infinite alternate;
  }
  @keyframes breathe {
    from {
      opacity: 0.45;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    *,
    ::before,
    ::after {
      animation: none !important;
      transition: none !important;
      scroll-behavior: auto !important;
    }
  }
`;
