/**
 * A folder that keeps the objects of the API server: a snapshot, and a journal of the writes since.
 *
 * A write is answered, read and told to watches when it stands in the journal: a state that a client has seen is there after any
 * end of the process, and no version stands for two things. From time to time a new snapshot takes the place of both; until it is
 * whole, the old files stay. Files are not synced to the disk: an answered write survives the end of the process, however it
 * comes, and not necessarily a crash of the machine.
 */

import type { Host } from "../../../runtime/host.ts";
import type { Store } from "../store.ts";
import { type Change, type Collection, DEFINITIONS } from "../storage/collection.ts";
import { takeLock } from "./lock.ts";
import {
  formatEnd,
  formatHeader,
  formatRecord,
  type OpenJournal,
  readJournal,
  readSnapshot,
  type State,
  StateError,
  type StateRecord,
} from "./records.ts";

/** From so many characters on, a journal is replaced by a snapshot. */
const LONGEST_JOURNAL = 1 << 25;
/** How many characters are written at once. */
const PIECE = 1 << 20;

/** The state in a folder, and its last journal, unless that is cut off. */
interface FoundState extends State {
  readonly journal: OpenJournal | undefined;
}

/** Lines that go into the journal at once. */
interface Batch {
  readonly lines: string[];
  readonly done: PromiseWithResolvers<void>;
}

export class StateFolder implements AsyncDisposable {
  /** The state that was found; undefined if the folder is new. */
  readonly found: FoundState | undefined;
  readonly #host: Host;
  readonly #folder: string;
  readonly #lock: AsyncDisposable;
  #store: Store | undefined;
  #journal = "";
  #next: Batch = newBatch();
  /** The batch that is just written. */
  #current: Batch | undefined;
  #length = 0;
  #writing: Promise<void> | undefined;
  #snapshot: Promise<void> | undefined;
  #failure: StateError | undefined;
  #isPaused = true;

  private constructor(
    host: Host,
    { folder, lock, found }: {
      readonly folder: string;
      readonly lock: AsyncDisposable;
      readonly found: FoundState | undefined;
    },
  ) {
    this.#host = host;
    this.#folder = folder;
    this.#lock = lock;
    this.found = found;
  }

  /**
   * Takes a folder, and reads its files. It is made if there is none.
   *
   * @throws {StateError} If another process uses it, or if it cannot be read or written; then the folder has not changed.
   */
  static async open(host: Host, path: string): Promise<StateFolder> {
    const folder = host.files.resolve(path);
    const lock = await takeLock(host, folder).catch((error) => {
      throw unusable(folder, error);
    });
    try {
      return new StateFolder(host, { folder, lock, found: await load(host, folder) });
    } catch (error) {
      await lock[Symbol.asyncDispose]();
      throw unusable(folder, error);
    }
  }

  /** Puts the found objects into a store: definitions first, because they make the kinds of others. */
  restore(store: Store): void {
    if (this.found === undefined) return;
    const { records, version } = this.found;
    const isFirst = ({ collection }: StateRecord) => collection === DEFINITIONS;
    const ordered = [...records.filter(isFirst), ...records.filter((record) => !isFirst(record))];
    store.restore(
      ordered.flatMap(({ collection, key, object }) =>
        object === undefined ? [] : [{ collection, key, object }]
      ),
      version,
    );
  }

  /** Keeps the objects of the store, and from then on every write. */
  async follow(store: Store): Promise<void> {
    this.#store = store;
    store.beforeChange((change, collection) => this.#add(change, collection));
    try {
      if (!this.#goesOn(store)) {
        await this.#takeSnapshot();
        // The last run may have left half a line there.
        await this.#host.files.remove(this.#journal);
      }
    } catch (error) {
      throw unusable(this.#folder, error);
    }
    this.#isPaused = false;
    this.#write();
  }

  /** Goes on with the last journal if the files hold the store as it is: many megabytes need not be written again. */
  #goesOn({ version }: Store): boolean {
    const { journal, version: kept } = this.found ?? {};
    if (journal === undefined || version !== kept || journal.length > LONGEST_JOURNAL) return false;
    this.#journal = this.#host.files.resolve(this.#folder, journal.name);
    this.#length = journal.length;
    return true;
  }

  /** Whether a write could not be kept, so that none is any more. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Whether a write is not kept yet. */
  get isBehind(): boolean {
    return this.#last !== undefined;
  }

  /** Calls when all writes so far are kept, in the order of the calls; never if one cannot be. */
  whenKept(then: () => void): void {
    if (this.#last === undefined) then();
    else void this.#last.done.promise.then(then);
  }

  /**
   * Resolves when all writes so far are kept.
   *
   * @throws {StateError} If one cannot be.
   */
  async kept(): Promise<void> {
    if (this.#failure === undefined) await Promise.race([this.#last?.done.promise, this.#write()]);
    if (this.#failure !== undefined) throw this.#failure;
  }

  get #last(): Batch | undefined {
    return this.#next.lines.length > 0 ? this.#next : this.#current;
  }

  /** Lets go of the folder when all is kept. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#snapshot;
    await this.kept().finally(() => this.#lock[Symbol.asyncDispose]());
  }

  #add({ version, key, current }: Change, { name: collection }: Collection): void {
    this.#next.lines.push(formatRecord({ version, collection, key, object: current?.object }));
    if (!this.#isPaused) this.#write();
  }

  /** Writes the waiting lines; one piece at a time, in order. */
  #write(): Promise<void> {
    if (!this.isBehind) return Promise.resolve();
    this.#writing ??= this.#flush();
    return this.#writing;
  }

  async #flush(): Promise<void> {
    try {
      while (this.#next.lines.length > 0 && this.#failure === undefined) {
        const batch = this.#current = this.#next;
        this.#next = newBatch();
        const text = batch.lines.join("");
        await this.#host.files.appendText(this.#journal, text);
        this.#current = undefined;
        batch.done.resolve();
        this.#length += text.length;
        if (this.#length > LONGEST_JOURNAL) this.#snapshot ??= this.#replace();
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#failure = new StateError(`Cannot keep the state in "${this.#folder}": ${why}`, { cause: error });
    } finally {
      // NB: at once, so that a write that comes now is not left to a loop that has just ended.
      this.#writing = undefined;
    }
  }

  async #replace(): Promise<void> {
    try {
      await this.#takeSnapshot();
    } catch {
      // The old files are whole; the next write tries again.
    } finally {
      this.#snapshot = undefined;
    }
  }

  async #takeSnapshot(): Promise<void> {
    const { files } = this.#host;
    const store = this.#store;
    if (store === undefined) return;
    // NB: from here on writes go into the new journal, and the content of the snapshot is fixed.
    const { version } = store;
    const content = [...store.collections()].flatMap((collection) =>
      collection.select(collection.present(), "").map((stored) => ({ collection: collection.name, stored }))
    );
    this.#journal = this.#path("journal", version);
    this.#length = 0;
    const path = this.#path("snapshot", version);
    const fresh = `${path}.new`;
    await files.remove(fresh);
    let piece = formatHeader(version);
    for (const { collection, stored } of content) {
      const { namespace, name } = stored.metadata;
      const key = namespace === undefined ? String(name) : `${namespace}/${name}`;
      piece += formatRecord({ version: stored.version, collection, key, object: stored.object });
      if (piece.length < PIECE) continue;
      await files.appendText(fresh, piece);
      piece = "";
    }
    await files.appendText(fresh, piece + formatEnd(content.length));
    await files.rename(fresh, path);
    for (const name of await files.list(this.#folder)) {
      const found = versionOf(name);
      if (found !== undefined && found < version) await files.remove(files.resolve(this.#folder, name));
    }
  }

  #path(what: string, version: number): string {
    return this.#host.files.resolve(this.#folder, `${what}-${String(version).padStart(15, "0")}.jsonl`);
  }
}

function newBatch(): Batch {
  return { lines: [], done: Promise.withResolvers() };
}

/** @throws {StateError} */
async function load({ files }: Host, folder: string): Promise<FoundState | undefined> {
  const names = (await files.list(folder)).filter((name) => versionOf(name) !== undefined);
  const snapshots = names.filter((name) => name.startsWith("snapshot-"));
  const journals = names.filter((name) => name.startsWith("journal-"));
  const newest = snapshots.at(-1);
  if (newest === undefined) {
    if (journals.length === 0) return undefined;
    throw new StateError(
      `Cannot read the folder "${folder}": it has a journal, but no snapshot: put the folder back from a copy, or use another one`,
    );
  }
  const path = files.resolve(folder, newest);
  const { version, records } = readSnapshot(await files.readText(path), path);
  const state = new Map(records.map((record) => [`${record.collection} ${record.key}`, record]));
  let last = version;
  let journal: OpenJournal | undefined = { name: newest.replace("snapshot", "journal"), length: 0 };
  for (const [index, name] of journals.entries()) {
    const path = files.resolve(folder, name);
    const mayBeTorn = index === journals.length - 1;
    const text = await files.readText(path);
    journal = text === "" || text.endsWith("\n") ? { name, length: text.length } : undefined;
    for (const record of readJournal(text, { path, mayBeTorn })) {
      if (record.version <= last) continue;
      last = record.version;
      apply(state, record);
    }
  }
  return { version: last, records: [...state.values()], journal };
}

/** An error that names the folder, whatever the system said. */
function unusable(folder: string, error: unknown): StateError {
  if (error instanceof StateError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new StateError(`Cannot use the folder "${folder}": ${why}`, { cause: error });
}

function apply(state: Map<string, StateRecord>, record: StateRecord): void {
  const key = `${record.collection} ${record.key}`;
  if (record.object === undefined) state.delete(key);
  else state.set(key, record);
}

function versionOf(name: string): number | undefined {
  const [, digits] = /^(?:snapshot|journal)-(\d+)\.jsonl$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
