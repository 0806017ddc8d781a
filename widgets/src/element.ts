import { CarillonError } from '@carillon/sdk/inbox';
import { LitElement, nothing, type PropertyDeclarations, type PropertyValues } from 'lit';
import { isRightToLeft } from './languages.ts';
import { createSay, type Messages, type Say, validLanguage } from './messages.ts';
import type { CarillonElementProperties, CarillonEvents } from './public.ts';
import { theme } from './theme.ts';
import { createTokens, subjectOf, type TokenSettings, type Tokens } from './tokens.ts';

/** The common base of both elements: service URL, token, theme and language. */
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
  /** `dir` of the rendered parts: languages from right to left set it, the others follow the page. */
  protected get direction(): 'rtl' | typeof nothing {
    return isRightToLeft(this.language) ? 'rtl' : nothing;
  }
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

  /** Starts showing the data of a user. Called again, after `leave`, for another user. */
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

  /** A new token of the same user continues; one of another user starts over. */
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

/** `https://host/widgets/inbox.js` was served by `https://host`; the URL of a bundle says nothing about the service. */
const servedFrom = /^(https?:.*)\/widgets\/[^/]+$/.exec(import.meta.url)?.[1] ?? null;
