import { css } from 'lit';

export const preferencesStyle = css`
  :host {
    display: block;
  }
  .frame {
    overflow: hidden;
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
    background: var(--_background);
  }
  table {
    inline-size: 100%;
    border-collapse: collapse;
  }
  th,
  td {
    padding: 10px 12px;
    text-align: center;
    font-weight: inherit;
  }
  thead th {
    color: var(--_muted);
    font-size: 0.86em;
    font-weight: 600;
    white-space: nowrap;
    border-block-end: 1px solid var(--_border);
  }
  th:first-child {
    padding-inline-start: 16px;
    text-align: start;
  }
  tbody tr + tr > * {
    border-block-start: 1px solid var(--_border);
  }
  tbody tr:hover {
    background: var(--_hover);
  }
  .name {
    display: block;
    font-weight: 550;
    overflow-wrap: anywhere;
  }
  .description {
    display: block;
    color: var(--_muted);
    font-size: 0.93em;
    overflow-wrap: anywhere;
  }
  .always {
    display: inline-flex;
    align-items: center;
    gap: 5px;
    color: var(--_muted);
    font-size: 0.86em;
    vertical-align: middle;
  }
  .always svg {
    inline-size: 14px;
    block-size: 14px;
  }
  .card {
    padding: 12px 16px;
  }
  .card + .card {
    border-block-start: 1px solid var(--_border);
  }
  fieldset {
    margin: 0;
    padding: 0;
    border: 0;
    min-inline-size: 0;
  }
  /* A legend that does not float is rendered into the border. */
  legend {
    float: inline-start;
    inline-size: 100%;
    padding: 0;
    margin-block-end: 4px;
  }
  legend + * {
    clear: both;
  }
  .card label {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 12px;
    min-block-size: 36px;
    cursor: pointer;
  }
  .card .always {
    display: flex;
  }
  .switch {
    appearance: none;
    position: relative;
    flex: none;
    display: inline-block;
    inline-size: 36px;
    block-size: 20px;
    margin: 0;
    border: 1px solid var(--_muted);
    border-radius: 10px;
    background: transparent;
    vertical-align: middle;
    cursor: pointer;
    transition: background 0.12s;
  }
  .switch::before {
    content: '';
    position: absolute;
    inset-block-start: 2px;
    inset-inline-start: 2px;
    inline-size: 14px;
    block-size: 14px;
    border-radius: 50%;
    background: var(--_muted);
    transition: inset-inline-start 0.12s;
  }
  .switch:checked {
    border-color: var(--_accent);
    background: var(--_accent);
  }
  .switch:checked::before {
    inset-inline-start: 18px;
    background: var(--_on-accent);
  }
  @media (forced-colors: active) {
    .switch:checked {
      background: Highlight;
    }
    .switch::before {
      background: ButtonText;
      forced-color-adjust: none;
    }
  }
  .foot {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: flex-end;
    gap: 6px 10px;
    padding: 8px 12px;
    border-block-start: 1px solid var(--_border);
    color: var(--_muted);
    font-size: 0.93em;
  }
  .foot .confirm {
    color: var(--_danger);
  }
  .bones {
    display: grid;
    gap: 14px;
    padding: 18px 16px;
  }
  .bones .bone {
    block-size: 14px;
  }
`;
