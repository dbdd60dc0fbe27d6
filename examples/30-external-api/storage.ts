/** Stands for the client of a storage service: it finds by name, makes once, and deletes what is there. */

import { TemporaryError } from "@lotse/lotse";

export interface StoredBucket {
  readonly id: string;
  quota: number;
}

/** A service of which each operator in this process has its own. */
export class Storage {
  readonly #buckets = new Map<string, StoredBucket>();
  #calls = 0;

  /** Returns the bucket of a name, if there is one. */
  async find(name: string): Promise<StoredBucket | undefined> {
    await Promise.resolve();
    // Services are busy now and then: the first call is refused.
    if (this.#calls++ === 0) throw new TemporaryError("The service is busy", { delay: 5 });
    return this.#buckets.get(name);
  }

  /** Makes a bucket. The name is the operator's own key: a call that is repeated makes no second one. */
  async make(name: string, quota: number): Promise<StoredBucket> {
    await Promise.resolve();
    const bucket = this.#buckets.get(name) ?? { id: `b-${this.#buckets.size + 1}`, quota };
    this.#buckets.set(name, bucket);
    return bucket;
  }

  /** Deletes a bucket, if it is there. */
  async delete(name: string): Promise<void> {
    await Promise.resolve();
    this.#buckets.delete(name);
  }
}
