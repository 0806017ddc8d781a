/** An object as the database knows it. */
export interface ObjectReference {
  key: string;
  sizeBytes: number;
  /** In hex. */
  sha256: string;
}

/**
 * Bytes outside of the database. Every call has a deadline and throws ObjectStoreError when it fails; every call may be repeated.
 */
export interface ObjectStore {
  put(object: ObjectReference, bytes: Buffer): Promise<void>;
  /** Verifies the size and the digest. */
  get(object: ObjectReference): Promise<Buffer>;
  /** Succeeds too when there is no such object. */
  delete(key: string): Promise<void>;
}

/**
 * unavailable: no answer, or one that asks to try later · refused: the settings are wrong · missing: there is no such object ·
 * altered: the bytes are not those that were stored.
 */
type ObjectStoreFailure = 'unavailable' | 'refused' | 'missing' | 'altered';

export class ObjectStoreError extends Error {
  override readonly name = 'ObjectStoreError';
  readonly failure: ObjectStoreFailure;

  constructor(failure: ObjectStoreFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}
