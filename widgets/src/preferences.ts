import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { CarillonElement } from './element.ts';
import { lockIcon } from './icons.ts';
import type { MessageName } from './messages.ts';
import { type Category, PreferencesStore } from './preferences-store.ts';
import { preferencesStyle } from './preferences-style.ts';
import type { CarillonPreferencesElement, PreferencesVariant } from './public.ts';
import type { Tokens } from './tokens.ts';

export { registerMessages } from './messages.ts';

/** Below this width a table of switches is hard to read. */
const tableWidth = 520;

/** `<carillon-preferences>`: the notification preferences of a user. */
export class CarillonPreferences extends CarillonElement implements CarillonPreferencesElement {
  static override styles = [...CarillonElement.styles, preferencesStyle];
  static override properties: PropertyDeclarations = {
    ...CarillonElement.properties,
    channels: {},
    hideUnsubscribe: { type: Boolean, attribute: 'hide-unsubscribe' },
  };

  declare variant: PreferencesVariant;
  declare channels: string | null;
  declare hideUnsubscribe: boolean;

  #store: PreferencesStore | null = null;
  #status = '';
  #problem = false;
  #asking = false;
  #isNarrow = false;
  #focusWithin: string | null = null;
  #sizes = new ResizeObserver(([entry]) => {
    const isNarrow = (entry?.contentRect.width ?? tableWidth) < tableWidth;
    if (isNarrow === this.#isNarrow) return;
    this.#isNarrow = isNarrow;
    this.requestUpdate();
  });
  #onVisible = (): void => {
    if (!document.hidden) void this.#store?.load();
  };

  constructor() {
    super();
    this.variant = 'auto';
    this.channels = null;
    this.hideUnsubscribe = false;
  }

  async refresh(): Promise<void> {
    await this.#store?.load();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#isNarrow = this.clientWidth > 0 && this.clientWidth < tableWidth;
    this.#sizes.observe(this);
    document.addEventListener('visibilitychange', this.#onVisible);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#sizes.disconnect();
    document.removeEventListener('visibilitychange', this.#onVisible);
  }

  protected override enter(url: string, tokens: Tokens): void {
    this.#store = new PreferencesStore(url, tokens, {
      changed: () => this.requestUpdate(),
      failed: (error, during) => {
        this.#say(during === 'change' ? this.say('changeFailed') : '', during === 'change');
        this.emitError(error, during);
        if (tokens.isStuck) void this.#retryWith(tokens);
      },
    });
    void this.#store.load();
  }

  protected override leave(): void {
    this.#store?.stop();
    this.#store = null;
    this.#asking = false;
  }

  async #retryWith(tokens: Tokens): Promise<void> {
    const store = this.#store;
    await tokens.changed();
    if (store && store === this.#store) await store.load();
  }

  #say(text: string, isProblem = false): void {
    this.#status = text;
    this.#problem = isProblem;
    this.requestUpdate();
  }

  async #set(category: Category, channel: string, optedIn: boolean): Promise<void> {
    this.#say('');
    if (!(await this.#store?.set(category.key, channel, optedIn))) return;
    this.#say(this.say('saved'));
    this.emit('carillon-preference', { category_key: category.key, channel, opted_in: optedIn });
  }

  async #unsubscribeAll(): Promise<void> {
    this.#asking = false;
    this.#focusWithin = '.unsubscribe';
    this.#say('');
    if (!(await this.#store?.unsubscribeAll())) return;
    this.#say(this.say('saved'));
    this.emit('carillon-unsubscribe-all', {});
  }

  protected override updated(_changed: PropertyValues): void {
    if (this.#focusWithin) this.renderRoot.querySelector<HTMLElement>(this.#focusWithin)?.focus();
    this.#focusWithin = null;
  }

  protected override render(): TemplateResult {
    return html`<div class="frame" part="frame" dir=${this.direction} role="group" aria-label=${this.say('preferences')}>
        ${this.#problem ? html`<div class="notice problem">${this.say('changeFailed')}</div>` : nothing}
        ${this.#renderContent()}
      </div>
      <div class="sr-only" role="status" aria-live="polite">${this.#status}</div>`;
  }

  #renderContent(): TemplateResult {
    const store = this.#store;
    const { say } = this;
    if (store?.phase === 'failed') {
      const text = say(store.isUnauthorized ? 'unauthorized' : 'loadFailed');
      return html`<div class="blank" role="alert">
        <strong>${text}</strong>
        <button class="text-button" @click=${() => store.load()}>${say('retry')}</button>
      </div>`;
    }
    if (store?.phase !== 'ready') {
      return html`<div class="bones" role="img" aria-busy="true" aria-label=${say('loading')}>
        ${[1, 2, 3].map(() => html`<div class="bone"></div>`)}
      </div>`;
    }
    const categories = store.categories;
    if (categories.length === 0) return html`<div class="blank">${say('noCategories')}</div>`;
    const channels = store.channels(this.channels?.split(/[\s,]+/).filter(Boolean) ?? null);
    const asTable = this.variant === 'table' || (this.variant === 'auto' && !this.#isNarrow);
    return html`${asTable ? this.#table(categories, channels) : this.#cards(categories, channels)}${this.#foot()}`;
  }

  #channelName(channel: string): string {
    const name = `channel_${channel}` as MessageName;
    return this.say(name) || channel;
  }

  #table(categories: Category[], channels: string[]): TemplateResult {
    return html`<table part="table">
      <caption class="sr-only">
        ${this.say('preferences')}
      </caption>
      <thead>
        <tr>
          <th scope="col">${this.say('category')}</th>
          ${channels.map((channel) => html`<th scope="col">${this.#channelName(channel)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${repeat(
          categories,
          ({ key }) => key,
          (category) => html`<tr part="category">
            <th scope="row">${this.#title(category)}</th>
            ${
              category.isCritical
                ? html`<td colspan=${channels.length}>${this.#always()}</td>`
                : channels.map((channel) => html`<td>${this.#switch(category, channel, true)}</td>`)
            }
          </tr>`,
        )}
      </tbody>
    </table>`;
  }

  #cards(categories: Category[], channels: string[]): TemplateResult {
    return html`${repeat(
      categories,
      ({ key }) => key,
      (category) => html`<fieldset class="card" part="category">
        <legend>${this.#title(category)}</legend>
        ${
          category.isCritical
            ? this.#always()
            : channels.map(
                (channel) =>
                  html`<label><span>${this.#channelName(channel)}</span>${this.#switch(category, channel, false)}</label>`,
              )
        }
      </fieldset>`,
    )}`;
  }

  #title({ name, description }: Category): TemplateResult {
    return html`<span class="name" dir="auto">${name}</span>
      ${description ? html`<span class="description" dir="auto">${description}</span>` : nothing}`;
  }

  #always(): TemplateResult {
    return html`<span class="always">${lockIcon}${this.say('alwaysOn')}</span>`;
  }

  #switch(category: Category, channel: string, needsName: boolean): TemplateResult {
    const isOn = category.cells.get(channel) ?? false;
    const name = this.say('cell', { category: category.name, channel: this.#channelName(channel) });
    return html`<input
      class="switch"
      part="switch"
      type="checkbox"
      role="switch"
      aria-label=${needsName ? name : nothing}
      .checked=${isOn}
      @change=${(event: Event) => this.#set(category, channel, (event.target as HTMLInputElement).checked)}
    />`;
  }

  #foot(): TemplateResult | typeof nothing {
    const { say } = this;
    if (this.hideUnsubscribe) return nothing;
    if (!this.#asking) {
      return html`<div class="foot" part="footer">
        <button class="unsubscribe text-button" ?disabled=${!this.#store?.hasAnything} @click=${() => this.#ask(true)}>
          ${say('unsubscribeAll')}
        </button>
      </div>`;
    }
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && this.#ask(false);
    return html`<div class="foot" part="footer" role="group" aria-label=${say('unsubscribeConfirm')} @keydown=${onKey}>
      <span>${say('unsubscribeConfirm')}</span>
      <button class="cancel text-button" @click=${() => this.#ask(false)}>${say('cancel')}</button>
      <button class="confirm text-button" @click=${this.#unsubscribeAll}>${say('confirm')}</button>
    </div>`;
  }

  #ask(asking: boolean): void {
    this.#asking = asking;
    this.#focusWithin = asking ? '.cancel' : '.unsubscribe';
    this.requestUpdate();
  }
}

if (!customElements.get('carillon-preferences')) {
  customElements.define('carillon-preferences', CarillonPreferences);
}
