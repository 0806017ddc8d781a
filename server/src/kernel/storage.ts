/** The part of an environment that its quota needs. */
export interface QuotaHolder {
  environmentId: string;
  environmentKind: 'test' | 'live';
  plan: string;
}

/** Keeps the storage of an environment below its quota. A check costs a map lookup; the database is read every few seconds. */
export interface StorageMeter {
  /** The quota in bytes; null when there is none. */
  quotaOf(holder: QuotaHolder): number | null;
  /** Throws `storage_quota_reached` when the environment has used up its quota. */
  check(holder: QuotaHolder): void;
  /** Counts newly stored bytes, for environments with a quota. */
  add(holder: QuotaHolder, bytes: () => number): void;
  /** Writes the counts so far, and reads those of other processes. */
  flush(): Promise<void>;
}
