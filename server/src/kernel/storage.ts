/** An environment, as far as its quota is concerned. */
export interface QuotaHolder {
  environmentId: string;
  environmentKind: 'test' | 'live';
  plan: string;
}

/** Keeps what an environment stores below its quota. It costs a look into a map; the database is asked every few seconds. */
export interface StorageMeter {
  /** Bytes; null: there is no quota. */
  quotaOf(holder: QuotaHolder): number | null;
  /** Throws `storage_quota_reached` when the environment stores as much as it may. */
  check(holder: QuotaHolder): void;
  /** Counts what was stored just now, for environments with a quota. */
  add(holder: QuotaHolder, bytes: () => number): void;
  /** Writes what was counted so far, and learns what other processes counted. */
  flush(): Promise<void>;
}
