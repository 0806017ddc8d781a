import { css } from 'lit';

/** Tabs, action buttons and the menu to snooze. */
export const tabsStyle = css`
  .tabs {
    display: flex;
    gap: 2px;
    padding-inline: 10px;
    overflow-x: auto;
    scrollbar-width: none;
    border-block-end: 1px solid var(--_border);
  }
  .tabs button {
    flex: none;
    display: flex;
    align-items: center;
    gap: 6px;
    padding: 8px 8px 7px;
    border-block-end: 2px solid transparent;
    color: var(--_muted);
    font-size: 0.93em;
    font-weight: 550;
    white-space: nowrap;
  }
  .tabs button:hover {
    color: var(--_text);
  }
  .tabs button[aria-selected='true'] {
    border-block-end-color: var(--_accent);
    color: var(--_text);
  }
  .tabs button:focus-visible {
    outline-offset: -2px;
    border-radius: 6px;
  }
  .tab-count {
    min-inline-size: 18px;
    padding-inline: 5px;
    border-radius: 9px;
    background: var(--_hover);
    color: var(--_text);
    font-size: 0.86em;
    line-height: 18px;
    text-align: center;
    font-variant-numeric: tabular-nums;
  }
  .until {
    margin-block-start: 4px;
    color: var(--_muted);
    font-size: 0.86em;
  }
  .choices {
    position: relative;
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    inline-size: fit-content;
    margin-block-start: 8px;
  }
  .choices.chosen {
    gap: 4px;
    align-items: center;
    color: var(--_muted);
    font-size: 0.93em;
  }
  .choices.chosen svg {
    inline-size: 15px;
    block-size: 15px;
  }
  .choice {
    padding: 4px 12px;
    border: 1px solid var(--_border);
    border-radius: 7px;
    background: var(--_background);
    color: var(--_text);
    font-size: 0.93em;
    font-weight: 550;
    text-decoration: none;
    overflow-wrap: anywhere;
  }
  .choice:hover {
    background: var(--_hover);
  }
  .choice.primary {
    border-color: var(--_accent);
    background: var(--_accent);
    color: var(--_on-accent);
  }
  .choice.danger {
    border-color: var(--_danger);
    color: var(--_danger);
  }
  .snooze-menu {
    position: fixed;
    inset: auto;
    margin: 0;
    padding: 4px;
    border: 0;
    min-inline-size: 14rem;
    border-radius: 10px;
    background: var(--_background);
    color: var(--_text);
    box-shadow: var(--_shadow);
  }
  .snooze-menu button {
    display: flex;
    justify-content: space-between;
    gap: 16px;
    inline-size: 100%;
    padding: 6px 10px;
    border-radius: 7px;
  }
  .snooze-menu button:hover,
  .snooze-menu button:focus-visible {
    background: var(--_hover);
  }
  .snooze-menu button:focus-visible {
    outline-offset: -2px;
  }
  .snooze-menu .when {
    color: var(--_muted);
  }
`;
