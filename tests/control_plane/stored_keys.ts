/**
 * What a control plane has stored, so that it can be brought back to how it was: another test file then finds it as if it were
 * new, and a start of etcd and kube-apiserver is saved.
 *
 * Keys are deleted and put back in etcd itself, through its JSON gateway. The API server learns of it by its own watches, and
 * ends what it served. Through the API each object would have to be found and deleted by its kind, past its finalizers.
 */

import { Buffer } from "node:buffer";
import { request } from "node:http";
import { join } from "node:path";

/** Where Kubernetes stores its objects, as a range of keys. */
const RANGE = { key: toBase64("/registry/"), range_end: toBase64("/registry0") };

/** The API server renews these by itself. */
const RENEWED = ["/registry/leases/", "/registry/peerserverleases/", "/registry/masterleases/"];

/** etcd refuses larger transactions. */
const MOST_IN_TRANSACTION = 100;

interface Entry {
  /** Base64, as etcd's gateway has it. */
  readonly key: string;
  readonly mod_revision: string;
  readonly value?: string;
}

/** The keys and values of etcd at one moment. */
export class StoredKeys {
  readonly #socket: string;
  readonly #entries = new Map<string, { readonly value: string; revision: string }>();

  private constructor(socket: string) {
    this.#socket = socket;
  }

  /** Reads all that a control plane has stored. */
  static async of({ directory }: { readonly directory: string }): Promise<StoredKeys> {
    const stored = new StoredKeys(join(directory, "etcd.sock"));
    for (const { key, value = "", mod_revision } of await stored.#read(RANGE)) {
      stored.#entries.set(key, { value, revision: mod_revision });
    }
    return stored;
  }

  /** How many keys there are. */
  get size(): number {
    return this.#entries.size;
  }

  /** Deletes keys that are new, and puts back what has changed or gone. Returns how many there were of both. */
  async restore(): Promise<number> {
    const now = new Map((await this.#read({ ...RANGE, keys_only: true })).map((entry) => [entry.key, entry]));
    const added = [...now.keys()].filter((key) => !this.#entries.has(key));
    const changed: string[] = [];
    for (const [key, entry] of this.#entries) {
      const found = now.get(key);
      if (isRenewed(key) || found?.mod_revision === entry.revision) continue;
      if (found === undefined || !await this.#isSame(found)) changed.push(key);
    }
    const changes = [
      ...added.map((key) => ({ requestDeleteRange: { key } })),
      ...changed.map((key) => ({ requestPut: { key, value: this.#entries.get(key)?.value } })),
    ];
    for (let start = 0; start < changes.length; start += MOST_IN_TRANSACTION) {
      await this.#ask("txn", { success: changes.slice(start, start + MOST_IN_TRANSACTION) });
    }
    return changes.length;
  }

  /** Whether a key that was written since has its old value all the same. Remembers its revision then. */
  async #isSame({ key, mod_revision: revision }: Entry): Promise<boolean> {
    const [found] = await this.#read({ key });
    const entry = this.#entries.get(key);
    if (entry === undefined || found?.value !== entry.value) return false;
    entry.revision = revision;
    return true;
  }

  async #read(range: object): Promise<readonly Entry[]> {
    const { kvs = [] } = await this.#ask("range", range) as { kvs?: Entry[] };
    return kvs;
  }

  #ask(what: "range" | "txn", body: object): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const options = { socketPath: this.#socket, path: `/v3/kv/${what}`, method: "POST", agent: false };
    const outgoing = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => text += part).on("error", reject);
      response.on("end", () => {
        if (response.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`etcd answered ${response.statusCode} to "${what}": ${text}`));
      });
    });
    outgoing.once("error", reject);
    outgoing.end(JSON.stringify(body));
    return promise;
  }
}

function isRenewed(key: string): boolean {
  const name = Buffer.from(key, "base64").toString();
  return RENEWED.some((prefix) => name.startsWith(prefix));
}

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}
