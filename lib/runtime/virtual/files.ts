/** A file system in memory, with POSIX paths. Folders exist where files are, and where they were made. */

import { posix } from "node:path";
import type { Clock, Files } from "../host.ts";

/** The initial contents of such a file system. */
export interface VirtualFilesOptions {
  readonly clock: Clock;
  readonly cwd: string;
  /** Path to content. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
}

interface StoredFile {
  readonly bytes: Uint8Array;
  readonly modified: number;
}

interface Watcher {
  readonly path: string;
  readonly callback: (path: string) => void;
}

/** Makes a file system in memory. */
export function createVirtualFiles(options: VirtualFilesOptions): Files {
  return new MemoryFiles(options);
}

class MemoryFiles implements Files {
  readonly #clock: Clock;
  readonly #cwd: string;
  readonly #files = new Map<string, StoredFile>();
  readonly #folders = new Set<string>(["/"]);
  readonly #watchers = new Set<Watcher>();
  #temporary = 0;

  constructor({ clock, cwd, files }: VirtualFilesOptions) {
    this.#clock = clock;
    this.#cwd = cwd;
    for (const [path, content] of Object.entries(files)) this.#write(path, content);
  }

  async readText(path: string): Promise<string> {
    return new TextDecoder().decode(await this.readBytes(path));
  }

  // deno-lint-ignore require-await -- a throw must become a rejection
  async readBytes(path: string): Promise<Uint8Array> {
    const file = this.#files.get(this.resolve(path));
    if (file) return file.bytes;
    throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), {
      code: "ENOENT",
      path,
    });
  }

  writeText(path: string, text: string): Promise<void> {
    this.#write(path, text);
    return Promise.resolve();
  }

  async appendText(path: string, text: string): Promise<void> {
    const before = await this.exists(path) ? await this.readText(path) : "";
    this.#write(path, before + text);
  }

  // deno-lint-ignore require-await -- a throw must become a rejection
  async createText(path: string, text: string): Promise<void> {
    if (this.#files.has(this.resolve(path)) || this.#folders.has(this.resolve(path))) {
      throw Object.assign(new Error(`EEXIST: file already exists, open '${path}'`), { code: "EEXIST", path });
    }
    this.#write(path, text);
  }

  async rename(path: string, to: string): Promise<void> {
    const from = this.resolve(path);
    if (!this.#folders.has(from)) {
      this.#write(to, await this.readBytes(path));
      return this.remove(path);
    }
    const target = this.resolve(to);
    if (await this.exists(to) && (await this.list(to)).length > 0) {
      throw Object.assign(new Error(`ENOTEMPTY: directory not empty, rename '${path}'`), {
        code: "ENOTEMPTY",
      });
    }
    const moved = (each: string) => target + each.slice(from.length);
    for (const folder of [...this.#folders]) if (isWithin(from, folder)) this.#folders.add(moved(folder));
    for (const [file, { bytes }] of [...this.#files]) {
      if (isWithin(from, file)) this.#write(moved(file), bytes);
    }
    await this.remove(path);
  }

  async copy(path: string, to: string): Promise<void> {
    this.#write(to, await this.readBytes(path));
  }

  exists(path: string): Promise<boolean> {
    const wanted = this.resolve(path);
    return Promise.resolve(this.#files.has(wanted) || this.#folders.has(wanted));
  }

  // deno-lint-ignore require-await -- a throw must become a rejection
  async list(path: string): Promise<string[]> {
    const folder = this.resolve(path);
    const code = this.#files.has(folder) ? "ENOTDIR" : "ENOENT";
    if (!this.#folders.has(folder)) {
      throw Object.assign(new Error(`${code}: no such folder, list '${path}'`), { code, path });
    }
    const inside = [...this.#files.keys(), ...this.#folders].filter((each) => posix.dirname(each) === folder);
    return inside.filter((each) => each !== folder).map((each) => posix.basename(each)).sort();
  }

  modified(path: string): Promise<number | undefined> {
    return Promise.resolve(this.#files.get(this.resolve(path))?.modified);
  }

  remove(path: string): Promise<void> {
    const wanted = this.resolve(path);
    for (const folder of [...this.#folders]) if (isWithin(wanted, folder)) this.#folders.delete(folder);
    for (const file of [...this.#files.keys()]) {
      if (!isWithin(wanted, file)) continue;
      this.#files.delete(file);
      this.#announce(file);
    }
    return Promise.resolve();
  }

  makeTempFolder(prefix: string): Promise<string> {
    const path = `/tmp/${prefix}${++this.#temporary}`;
    this.#folders.add("/tmp").add(path);
    return Promise.resolve(path);
  }

  resolve(...parts: string[]): string {
    return posix.resolve(this.#cwd, ...parts);
  }

  folderOf(path: string): string {
    return posix.dirname(path);
  }

  watch(path: string, callback: (path: string) => void): Disposable {
    const watcher = { path: this.resolve(path), callback };
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  #write(path: string, content: string | Uint8Array): void {
    const resolved = this.resolve(path);
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    this.#files.set(resolved, { bytes, modified: this.#clock.now() });
    for (let folder = posix.dirname(resolved); folder !== "/"; folder = posix.dirname(folder)) {
      this.#folders.add(folder);
    }
    this.#announce(resolved);
  }

  #announce(path: string): void {
    for (const watcher of this.#watchers) {
      if (isWithin(watcher.path, path)) {
        queueMicrotask(() => this.#watchers.has(watcher) && watcher.callback(path));
      }
    }
  }
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || folder === "/" || path.startsWith(`${folder}/`);
}
