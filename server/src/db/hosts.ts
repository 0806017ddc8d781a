import pg from 'pg';

/** The ways to a database: one or several hosts, of which the first that can be used wins. */
interface DatabaseHosts {
  /** One URL per host, in the order of the list. */
  urls: readonly string[];
  /** `target_session_attrs=read-write`: a standby is skipped. */
  mustBeWritable: boolean;
  /** The `options` of the URL: `pg` would let them replace ours. */
  options: string;
}

export class BadDatabaseUrl extends Error {}

const urlParts = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/;
const hostParts = /^(\[[\da-fA-F:.]+\]|[^:[\]]*)(?::(\d*))?$/;

/**
 * Reads a URL with the host lists of libpq, `postgres://user:password@one:5432,two:5432/name?target_session_attrs=read-write` or
 * `?host=one,two&port=5432,5433`. The rest of the URL is left to `pg`, which knows one host only.
 */
export function parseDatabaseUrl(text: string): DatabaseHosts {
  const [, scheme, login, authority = '', path = '', search = ''] = urlParts.exec(text) ?? [];
  if (scheme === undefined)
    throw new BadDatabaseUrl('must be a URL that begins with postgres:// or postgresql://');
  const params = new URLSearchParams(search);
  const take = (name: string): string => {
    const value = params.get(name) ?? '';
    params.delete(name);
    return value;
  };
  const mustBeWritable = isWritableWanted(take('target_session_attrs'));
  const options = take('options');
  const [hosts, ports] = [listOf(take('host')), listOf(take('port'))];
  for (const port of ports) checkPort(port);
  for (const host of hosts) if (host === '') throw emptyHost();
  if (authority.includes(',') && hosts.length + ports.length > 0)
    throw new BadDatabaseUrl('must list its hosts in one place: before the path, or as host= and port=');
  if (ports.length > 1 && ports.length !== hosts.length)
    throw new BadDatabaseUrl(`must have one port, or as many ports as hosts (${hosts.length})`);

  const withHost = (host: string, more: Record<string, string>): string => {
    const query = new URLSearchParams([...params, ...Object.entries(more)]).toString();
    return `${scheme}${login === undefined ? '' : `${login}@`}${host}${path}${query && `?${query}`}`;
  };
  const withPort = (index: number): Record<string, string> => {
    const port = ports[index] ?? ports[0];
    return port ? { port } : {};
  };
  const urls =
    hosts.length > 0
      ? hosts.map((host, index) => withHost(authority, { host, ...withPort(index) }))
      : hostsOf(authority).map((host) => withHost(host, withPort(0)));
  // `pg` also reads a URL with a login and no host.
  if (!urls.every((url) => URL.canParse(url.replace('@/', '@host/'))))
    throw new BadDatabaseUrl(
      'must be a valid URL: percent-encode special characters in the user and password',
    );
  return { urls, mustBeWritable, options };
}

const listOf = (text: string): string[] => (text === '' ? [] : text.split(','));

function hostsOf(authority: string): string[] {
  const list = authority.split(',');
  for (const each of list) {
    const [, host, port] = hostParts.exec(each) ?? [];
    if (host === undefined)
      throw new BadDatabaseUrl(
        'must list its hosts as host, host:port or [IPv6 address]:port, comma-separated',
      );
    if (host === '' && list.length > 1) throw emptyHost();
    if (port) checkPort(port);
  }
  return list;
}

const emptyHost = (): Error => new BadDatabaseUrl('has an empty host in its list');

function checkPort(port: string): void {
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
    throw new BadDatabaseUrl('has a port that is not a number from 1 to 65535');
}

function isWritableWanted(attributes: string): boolean {
  switch (attributes) {
    case '':
    case 'any':
      return false;
    case 'read-write':
    case 'primary':
      return true;
    default:
      throw new BadDatabaseUrl('has a target_session_attrs other than any, read-write and primary');
  }
}

/** A server in recovery, or one whose transactions are read-only by default. */
export const isReadOnlySql = `pg_is_in_recovery() or current_setting('transaction_read_only') = 'on'`;

/** No host of the list could be used. The code is that of a read-only server if one answered, so that the process waits. */
class NoUsableHost extends Error {
  readonly code: string | undefined;

  constructor(failures: HostFailure[]) {
    super(
      `No host of the list can be used: ${failures.map(({ host, reason }) => `${host} (${reason})`).join(', ')}`,
    );
    const codes = failures.map(({ code }) => code);
    this.code = codes.find((code) => code === readOnlyCode) ?? codes.find((code) => code !== undefined);
  }
}

interface HostFailure {
  host: string;
  reason: string;
  code: string | undefined;
}

const readOnlyCode = '25006';

/** Remembers the last host that worked, so that a host that is gone costs its timeout once and not with every connection. */
export class HostList {
  readonly hosts: DatabaseHosts;
  #preferred = 0;

  constructor(url: string) {
    this.hosts = parseDatabaseUrl(url);
  }

  /** The last that worked first, then the others in their order. */
  inOrder(): string[] {
    const { urls } = this.hosts;
    const preferred = urls[this.#preferred] ?? '';
    return [preferred, ...urls.filter((url) => url !== preferred)];
  }

  worked(url: string): void {
    this.#preferred = this.hosts.urls.indexOf(url);
  }
}

export type HostClientConfig = pg.ClientConfig & { hostList: HostList };

/**
 * A client that connects to the first host that can be used. Names are resolved anew for every connection: neither `pg` nor
 * Node.js keeps addresses.
 */
export class HostClient extends pg.Client {
  readonly #config: HostClientConfig;
  readonly #urls: string[];
  #isEnding = false;

  constructor(config: HostClientConfig) {
    const urls = config.hostList.inOrder();
    // All hosts share the time of one connection.
    const connectionTimeoutMillis = Math.ceil((config.connectionTimeoutMillis ?? 0) / urls.length);
    const perHost = { ...config, connectionTimeoutMillis };
    super({ ...perHost, connectionString: urls[0] });
    this.#config = perHost;
    this.#urls = urls;
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<this> | undefined {
    const connecting = this.#connectToFirstUsable();
    if (!callback) return connecting.then(() => this);
    connecting.then(
      () => callback(null),
      (error) => callback(error),
    );
    return undefined;
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    this.#isEnding = true;
    return callback ? (super.end(callback) as undefined) : super.end();
  }

  async #connectToFirstUsable(): Promise<void> {
    // Without a listener a connection that breaks while it is checked would end the process.
    const ignore = (): void => {};
    this.on('error', ignore);
    try {
      await this.#tryHosts();
    } finally {
      this.off('error', ignore);
    }
  }

  async #tryHosts(): Promise<void> {
    const failures: HostFailure[] = [];
    for (const [index, url] of this.#urls.entries()) {
      if (index > 0) this.#startOver(url);
      try {
        await super.connect();
        await this.checkServer();
        this.#config.hostList.worked(url);
        return;
      } catch (error) {
        if (this.#isEnding) throw error; // `end` waits for the end of this connection
        this.#abandonConnection();
        const { message, code } = error as Error & { code?: string };
        // A wrong password or a missing database is the same on every host.
        if (this.#urls.length === 1 || /^(28|3D)/.test(code ?? '')) throw error;
        failures.push({ host: `${this.host}:${this.port}`, reason: message, code });
      }
    }
    throw new NoUsableHost(failures);
  }

  /** Throws for a server that cannot be used; the next host is tried. */
  protected async checkServer(): Promise<void> {
    if (!this.#config.hostList.hosts.mustBeWritable) return;
    const { rows } = await super.query<{ is_read_only: boolean }>({
      text: `select ${isReadOnlySql} as is_read_only`,
      query_timeout: this.#config.connectionTimeoutMillis,
    } as pg.QueryConfig);
    if (rows[0]?.is_read_only)
      throw Object.assign(new Error('the server is a standby, or read-only'), { code: readOnlyCode });
  }

  /** The end of the connection is no error of this client any more. */
  #abandonConnection(): void {
    const { connection } = this;
    connection.removeAllListeners();
    connection.on('error', () => {});
    connection.stream.destroy();
  }

  /** `pg` connects a client once: the state of a new client, with its unused connection, replaces that of this one. */
  #startOver(url: string): void {
    const { _events, _eventsCount, _maxListeners, ...state } = new pg.Client({
      ...this.#config,
      connectionString: url,
    }) as unknown as Record<string, unknown>;
    Object.assign(this, state);
  }
}
