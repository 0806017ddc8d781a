import { css } from 'lit';

export const inboxStyle = css`
  :host {
    display: block;
    min-inline-size: 0;
    max-inline-size: 100%;
  }
  :host([variant='bell']) {
    display: inline-block;
  }
  .bell {
    position: relative;
    display: grid;
    place-items: center;
    inline-size: 40px;
    block-size: 40px;
    border-radius: 50%;
    color: var(--carillon-bell, inherit);
  }
  .bell:hover,
  .bell[aria-expanded='true'] {
    background: color-mix(in srgb, currentColor 10%, transparent);
  }
  .bell svg {
    inline-size: 22px;
    block-size: 22px;
  }
  .badge {
    position: absolute;
    inset-block-start: 1px;
    inset-inline-start: 20px;
    min-inline-size: 18px;
    padding-inline: 5px;
    border-radius: 9px;
    background: var(--_badge);
    color: var(--_on-badge);
    font-size: 11px;
    font-weight: 650;
    line-height: 18px;
    text-align: center;
    font-variant-numeric: tabular-nums;
    forced-color-adjust: none;
  }
  .panel {
    display: flex;
    flex-direction: column;
    block-size: var(--carillon-height, 32rem);
    max-block-size: 100%;
    overflow: hidden;
    background: var(--_background);
    color: var(--_text);
    container-type: inline-size;
    /* A container has no intrinsic width: where its content decides (flex, grid, float) it would collapse. */
    contain-intrinsic-inline-size: min(var(--carillon-width, 26rem), 100vw - 16px);
  }
  :host([variant='panel']) .panel {
    max-inline-size: var(--carillon-width, 26rem);
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
  }
  :host([variant='list']) .panel {
    background: var(--carillon-background, transparent);
  }
  .panel[popover] {
    position: fixed;
    inset: auto;
    margin: 0;
    padding: 0;
    border: 0;
    inline-size: min(var(--carillon-width, 26rem), 100vw - 16px);
    block-size: min(var(--carillon-height, 34rem), 100dvh - 24px);
    max-block-size: none;
    border-radius: var(--_radius);
    box-shadow: var(--_shadow);
  }
  .panel[popover]:not(:popover-open) {
    display: none;
  }
  @media (prefers-reduced-motion: no-preference) {
    .panel:popover-open {
      animation: appear 0.14s ease-out;
    }
  }
  @keyframes appear {
    from {
      opacity: 0;
      transform: translateY(-4px);
    }
  }
  header {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 6px 8px;
    padding: 12px 10px 10px 16px;
    border-block-end: 1px solid var(--_border);
  }
  header:dir(rtl) {
    padding: 12px 16px 10px 10px;
  }
  :host([variant='list']) header {
    padding-inline: 8px;
  }
  h2 {
    margin: 0;
    font-size: 1.1em;
    font-weight: 650;
    letter-spacing: -0.005em;
  }
  .filter {
    display: inline-flex;
    padding: 2px;
    border-radius: 8px;
    background: var(--_hover);
  }
  .filter button {
    padding: 2px 10px;
    border-radius: 6px;
    color: var(--_muted);
    font-size: 0.93em;
    font-weight: 550;
  }
  .filter button[aria-pressed='true'] {
    background: var(--_background);
    color: var(--_text);
    box-shadow: 0 0 0 1px var(--_border);
  }
  .space {
    flex: 1;
  }
  @container (inline-size < 34rem) {
    .filter-row {
      order: 1;
      flex-basis: 100%;
    }
  }
  .icon-button:disabled {
    opacity: 0.4;
  }
  .icon-button {
    display: grid;
    place-items: center;
    inline-size: 28px;
    block-size: 28px;
    border-radius: 7px;
    color: var(--_muted);
  }
  .icon-button:hover {
    background: var(--_hover);
    color: var(--_text);
  }
  .body-area {
    position: relative;
    flex: 1;
    min-block-size: 0;
    display: flex;
    flex-direction: column;
  }
  .scroller {
    flex: 1;
    min-block-size: 0;
    overflow: hidden auto;
    overscroll-behavior: contain;
    /* Rows are added and removed while scrolling; the element anchors them itself, the same in every browser. */
    overflow-anchor: none;
    scrollbar-width: thin;
    scrollbar-color: var(--_border) transparent;
  }
  .scroller:focus-visible,
  .feed:focus-visible {
    outline-offset: -2px;
  }
  article {
    position: relative;
    padding: 11px 16px 12px 26px;
    border-block-end: 1px solid var(--_border);
  }
  article:dir(rtl) {
    padding: 11px 26px 12px 16px;
  }
  article:hover {
    background: var(--_hover);
  }
  article.unread {
    background: var(--_unread);
  }
  article.unread:hover {
    background: color-mix(in srgb, var(--_unread), var(--_accent) 5%);
  }
  article:focus-visible {
    outline-offset: -2px;
  }
  .dot {
    position: absolute;
    inset-block-start: 18px;
    inset-inline-start: 10px;
    inline-size: 8px;
    block-size: 8px;
    border-radius: 50%;
    background: var(--_accent);
    forced-color-adjust: none;
  }
  .line {
    display: flex;
    align-items: baseline;
    gap: 10px;
  }
  .title {
    flex: 1;
    min-inline-size: 0;
    overflow-wrap: anywhere;
    color: var(--_text);
    font-weight: 500;
    text-decoration: none;
  }
  .unread .title {
    font-weight: 650;
  }
  /* The whole row is the link. Other controls are above it. */
  .title::after {
    content: '';
    position: absolute;
    inset: 0;
  }
  time {
    flex: none;
    color: var(--_muted);
    font-size: 0.86em;
    white-space: nowrap;
  }
  .body {
    margin-block-start: 2px;
    color: var(--_muted);
    overflow-wrap: anywhere;
    /* Text runs in its own direction; the column keeps the direction of the page. */
    text-align: -webkit-match-parent;
    text-align: match-parent;
  }
  .body.clamped {
    max-block-size: 4.4em;
    overflow: hidden;
  }
  .body.overflows.clamped {
    mask-image: linear-gradient(#000 60%, transparent);
  }
  .body.text {
    white-space: pre-line;
  }
  .body a,
  .more {
    position: relative;
  }
  .body a {
    color: var(--_accent);
  }
  .body > :first-child {
    margin-block-start: 0;
  }
  .body > :last-child {
    margin-block-end: 0;
  }
  .body p,
  .body ul,
  .body ol,
  .body blockquote,
  .body pre {
    margin-block: 0.35em;
  }
  .body :is(ul, ol, blockquote, pre, table) {
    text-align: start; /* Aligns the text with its list markers. */
  }
  .body ul,
  .body ol {
    padding-inline-start: 1.4em;
  }
  .body blockquote {
    margin-inline: 0;
    padding-inline-start: 10px;
    border-inline-start: 3px solid var(--_border);
  }
  .body pre {
    overflow-x: auto;
  }
  .body .heading {
    color: var(--_text);
    font-weight: 600;
  }
  .body img {
    max-inline-size: 100%;
    block-size: auto;
    border-radius: 6px;
  }
  .body table {
    border-collapse: collapse;
  }
  .body :is(td, th) {
    padding: 2px 8px;
    border: 1px solid var(--_border);
    text-align: start;
  }
  .more {
    margin-inline-start: -8px;
  }
  .actions {
    position: absolute;
    inset-block-start: 6px;
    inset-inline-end: 10px;
    display: flex;
    gap: 2px;
    padding: 1px;
    border-radius: 8px;
    background: var(--_background);
    box-shadow: 0 0 0 1px var(--_border);
    opacity: 0;
  }
  article:hover .actions,
  article:focus-within .actions {
    opacity: 1;
  }
  @media (hover: none) {
    article {
      min-block-size: 70px;
    }
    .content,
    .choices,
    .until {
      padding-inline-end: 106px;
    }
    .actions {
      inset-block: auto 4px;
      inset-inline-end: 6px;
      background: none;
      box-shadow: none;
      opacity: 1;
    }
    .actions .icon-button {
      inline-size: 36px;
      block-size: 36px;
    }
  }
  .row-bones {
    display: grid;
    gap: 8px;
    padding: 14px 16px 16px 26px;
    border-block-end: 1px solid var(--_border);
  }
  .row-bones .bone {
    block-size: 11px;
  }
  .row-bones .bone:first-child {
    inline-size: 45%;
  }
  .row-bones .bone:last-child {
    inline-size: 85%;
  }
  .end {
    padding: 12px;
    color: var(--_muted);
    font-size: 0.93em;
    text-align: center;
  }
  .fresh {
    position: absolute;
    z-index: 1;
    inset-block-start: 8px;
    inset-inline: 0;
    inline-size: fit-content;
    margin-inline: auto;
    padding: 4px 12px;
    border-radius: 999px;
    background: var(--_accent);
    color: var(--_on-accent);
    font-size: 0.93em;
    font-weight: 600;
    box-shadow: var(--_shadow);
  }
  footer:has(slot[name='footer']) {
    display: contents;
  }
`;
