import { CarillonError } from '@carillon/sdk/inbox';
import { LitElement, type PropertyDeclarations, type PropertyValues } from 'lit';
import { createSay, type Messages, type Say, validLanguage } from './messages.ts';
import type { CarillonElementProperties, CarillonEvents } from './public.ts';
import { theme } from './theme.ts';
import { createTokens, subjectOf, type TokenSettings, type Tokens } from './tokens.ts';

/** What both elements have in common: where the service is, whose token it is, how it looks and in which language. */
export abstract class CarillonElement extends LitElement implements CarillonElementProperties {
  static override styles = [theme];
  static override properties: PropertyDeclarations = {
    url: {},
    token: {},
    tokenUrl: { attribute: 'token-url' },
    tokenProvider: { attribute: false },
    messages: { attribute: false },
    theme: { reflect: true },
    variant: { reflect: true },
    lang: {},
  };

  declare url: string | null;
  declare token: string | null;
  declare tokenUrl: string | null;
  declare tokenProvider: (() => Promise<string> | string) | null;
  declare messages: Partial<Messages> | null;
  declare theme: string | null;

  protected say: Say = createSay('en', null);
  protected language = 'en';
  #tokens: Tokens | null = null;
  #source = '';

  constructor() {
    super();
    this.url = null;
    this.token = null;
    this.tokenUrl = null;
    this.tokenProvider = null;
    this.messages = null;
    this.theme = null;
  }

  /** Someone's data may be shown: begin. Called again, after `leave`, when it is somebody else's. */
  protected abstract enter(url: string, tokens: Tokens): void;
  protected abstract leave(): void;

  override connectedCallback(): void {
    super.connectedCallback();
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#end();
  }

  protected override willUpdate(_changed: PropertyValues): void {
    this.language = validLanguage(
      this.lang || this.closest<HTMLElement>('[lang]')?.lang,
      document.documentElement.lang,
      navigator.language,
    );
    this.say = createSay(this.language, this.messages);
    if (this.isConnected) this.#settle();
  }

  /** A new token of the same user goes on where the old one ended; of another user, everything begins anew. */
  #settle(): void {
    const { tokenProvider, tokenUrl, token } = this;
    const settings: TokenSettings = { tokenProvider, tokenUrl, token };
    const url = this.url ?? servedFrom;
    if (!url || !(tokenProvider || tokenUrl || token)) {
      this.#end();
      return;
    }
    const source = `${url} ${tokenUrl ?? ''} ${token ? (subjectOf(token) ?? token) : ''}`;
    if (this.#tokens && source === this.#source) {
      this.#tokens.use(settings);
      return;
    }
    this.#end();
    this.#source = source;
    this.#tokens = createTokens(settings, () => this.emit('carillon-token-expired', {}));
    this.enter(new URL(url, document.baseURI).href.replace(/\/+$/, ''), this.#tokens);
  }

  #end(): void {
    if (!this.#tokens) return;
    this.#tokens = null;
    this.leave();
  }

  /** True unless the page called preventDefault. */
  protected emit<Type extends keyof CarillonEvents>(
    type: Type,
    detail: CarillonEvents[Type],
    cancelable = false,
  ): boolean {
    return this.dispatchEvent(new CustomEvent(type, { detail, cancelable, bubbles: true, composed: true }));
  }

  protected emitError(error: unknown, during: string): void {
    const { code, status } =
      error instanceof CarillonError ? error : { code: 'token_unavailable', status: null };
    this.emit('carillon-error', { code, status, message: (error as Error).message, during });
  }
}

/** `https://host/widgets/inbox.js` was served by `https://host`; a bundle of the page's own says nothing about it. */
const servedFrom = /^(https?:.*)\/widgets\/[^/]+$/.exec(import.meta.url)?.[1] ?? null;
