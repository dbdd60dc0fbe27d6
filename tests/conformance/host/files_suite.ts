/** What a host's file system must do. */

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Host } from "../../../lib/runtime/host.ts";

/** Describes the file system of a host. */
export function filesSuite(makeHost: () => Host): void {
  describe("host.files", () => {
    const { clock, files, process } = makeHost();
    let folder = "";
    before(async () => void (folder = await files.makeTempFolder("lotse-files-")));
    after(() => files.remove(folder));

    it("writeText() makes folders as needed, readText() and readBytes() give it back", async () => {
      const path = join(folder, "a", "b", "text");
      await files.writeText(path, "héllo\n");
      assert.equal(await files.readText(path), "héllo\n");
      assert.deepEqual([...await files.readBytes(path)].slice(0, 3), [0x68, 0xc3, 0xa9]);
      assert.equal(statSync(path).mode & 0o777, 0o644);
    });

    it("writeText() keeps secrets to the owner when told so", async () => {
      const path = join(folder, "secret");
      await files.writeText(path, "s", { mode: 0o600 });
      assert.equal(statSync(path).mode & 0o777, 0o600);
    });

    it("writeText() keeps secrets to the owner in a file that others could read before", async () => {
      const path = join(folder, "open");
      await files.writeText(path, "open to all");
      await files.writeText(path, "s", { mode: 0o600 });
      assert.deepEqual([statSync(path).mode & 0o777, await files.readText(path)], [0o600, "s"]);
    });

    it("readText() fails with ENOENT where there is nothing", async () => {
      await assert.rejects(files.readText(join(folder, "none")), { code: "ENOENT" });
      await assert.rejects(files.readBytes(join(folder, "none")), { code: "ENOENT" });
    });

    it("readText() turns bytes that are not UTF-8 into U+FFFD", async () => {
      const path = join(folder, "bytes");
      const { writeFile } = await import("node:fs/promises");
      await writeFile(path, Uint8Array.of(0x61, 0xff, 0x62));
      assert.equal(await files.readText(path), "a\ufffdb");
    });

    it("exists(), modified(), list() and remove() agree on what is there", async () => {
      const path = join(folder, "there", "file");
      assert.equal(await files.exists(path), false);
      assert.equal(await files.modified(path), undefined);
      await files.writeText(path, "x");
      assert.equal(await files.exists(path), true);
      assert.equal(await files.exists(join(folder, "there")), true);
      assert.ok(Math.abs((await files.modified(path) ?? 0) - clock.now()) < 60_000);
      assert.deepEqual(await files.list(join(folder, "there")), ["file"]);
      await assert.rejects(files.list(path), { code: "ENOTDIR" });
      await files.remove(join(folder, "there"));
      assert.equal(await files.exists(path), false);
      await files.remove(path);
      await assert.rejects(files.list(join(folder, "there")), { code: "ENOENT" });
    });

    it("resolve() starts at the working folder, and a later absolute part wins", () => {
      assert.equal(files.resolve("a", "..", "b"), join(process.cwd(), "b"));
      assert.equal(files.resolve("/x", "/y", "z"), "/y/z");
      assert.equal(files.folderOf("/y/z"), "/y");
    });

    it("appendText() adds to a file, and makes it", async () => {
      const path = files.resolve(folder, "deep", "log");
      await files.appendText(path, "one\n");
      await files.appendText(path, "zwö\n");
      assert.equal(await files.readText(path), "one\nzwö\n");
    });

    it("createText() makes a file that is not there, and only one of several does", async () => {
      const path = files.resolve(folder, "own", "lock");
      const tries = await Promise.allSettled(["a", "b", "c"].map((text) => files.createText(path, text)));
      const [won] = tries.filter(({ status }) => status === "fulfilled");
      assert.equal(tries.filter(({ status }) => status === "rejected").length, 2);
      assert.ok(won !== undefined);
      assert.equal((await files.readText(path)).length, 1);
      await assert.rejects(files.createText(path, "d"), { code: "EEXIST" });
    });

    it("copy() makes folders, and keeps the bytes", async () => {
      const [from, to] = [files.resolve(folder, "original"), files.resolve(folder, "far", "copy")];
      await files.writeText(from, "zwö");
      await files.copy(from, to);
      assert.deepEqual([await files.readBytes(to), await files.exists(from)], [
        await files.readBytes(from),
        true,
      ]);
      await assert.rejects(files.copy(files.resolve(folder, "nothing"), to), { code: "ENOENT" });
    });

    it("rename() takes the place of another file", async () => {
      const [from, to] = [files.resolve(folder, "from"), files.resolve(folder, "to")];
      await files.writeText(from, "new");
      await files.writeText(to, "old");
      await files.rename(from, to);
      assert.deepEqual([await files.readText(to), await files.exists(from)], ["new", false]);
      await assert.rejects(files.rename(from, to), { code: "ENOENT" });
    });

    it("rename() takes a folder along, with what is in it, but not over a folder with files", async () => {
      const [from, to] = [files.resolve(folder, "here"), files.resolve(folder, "there")];
      await files.writeText(files.resolve(from, "a", "b"), "kept");
      await files.rename(from, to);
      assert.deepEqual([await files.exists(from), await files.list(to)], [false, ["a"]]);
      assert.equal(await files.readText(files.resolve(to, "a", "b")), "kept");
      await files.writeText(files.resolve(from, "c"), "new");
      await assert.rejects(files.rename(from, to), { code: "ENOTEMPTY" });
      assert.deepEqual([await files.list(from), await files.list(to)], [["c"], ["a"]]);
    });

    it("makeTempFolder() gives a new folder each time", async () => {
      const another = await files.makeTempFolder("lotse-files-");
      assert.notEqual(another, folder);
      assert.ok(isAbsolute(another) && statSync(another).isDirectory());
      await files.remove(another);
    });

    // Sleeps for real: the kernel reports changes in its own time.
    it("watch() reports changes below a folder, also in new folders, until it is disposed of", {
      timeout: 20_000,
    }, async () => {
      const watched = await files.makeTempFolder("lotse-watch-");
      const seen = new Set<string>();
      const watching = files.watch(watched, (path) => seen.add(path));
      const until = async (path: string) => {
        for (let round = 0; round < 200 && !seen.has(path); round++) {
          await files.writeText(path, String(round));
          await clock.sleep(0.02);
        }
        assert.ok(seen.has(path), `${path} is not in ${[...seen]}`);
      };
      await until(join(watched, "top"));
      await until(join(watched, "new", "inner"));
      watching[Symbol.dispose]();
      await clock.sleep(0.05);
      seen.clear();
      await files.writeText(join(watched, "top"), "after");
      await clock.sleep(0.1);
      assert.deepEqual([...seen], []);
      await files.remove(watched);
    });

    it("watch() reports changes of a single file", { timeout: 20_000 }, async () => {
      const path = join(folder, "single");
      await files.writeText(path, "0");
      let count = 0;
      using _watching = files.watch(path, () => count++);
      for (let round = 0; round < 200 && count === 0; round++) {
        await files.writeText(path, String(round));
        await clock.sleep(0.02);
      }
      assert.ok(count > 0);
    });
  });
}
