import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

describe("virtual files", () => {
  it("begin with what they were given, relative to the working folder", async () => {
    const { files } = virtualHost({ files: { "/etc/ca.crt": "ca", "relative": Uint8Array.of(0x61, 0xff) } });
    assert.equal(await files.readText("/etc/ca.crt"), "ca");
    assert.equal(await files.readText("/work/relative"), "a\ufffd");
    assert.deepEqual([...await files.readBytes("relative")], [0x61, 0xff]);
  });

  it("fail with ENOENT and ENOTDIR as real ones do", async () => {
    const { files } = virtualHost({ files: { "/a/b": "" } });
    await assert.rejects(files.readText("/a"), { code: "ENOENT" });
    await assert.rejects(files.list("/none"), { code: "ENOENT" });
    await assert.rejects(files.list("/a/b"), { code: "ENOTDIR" });
    assert.equal(await files.modified("/none"), undefined);
  });

  it("take the time of a change from the clock", async () => {
    const { clock, files } = virtualHost({ start: 1000, files: { "/a": "" } });
    assert.equal(await files.modified("/a"), 1000);
    await clock.advance(5);
    await files.writeText("/a", "changed");
    assert.equal(await files.modified("/a"), 6000);
  });

  it("list() and exists() know the folders that files imply, remove() takes all of them", async () => {
    const { files } = virtualHost({ files: { "/a/b/c": "", "/a/d": "", "/ab": "" } });
    assert.deepEqual(await files.list("/a"), ["b", "d"]);
    assert.equal(await files.exists("/a/b"), true);
    await files.remove("/a");
    assert.equal(await files.exists("/a/b"), false);
    assert.equal(await files.exists("/a/b/c"), false);
    assert.equal(await files.exists("/ab"), true);
  });

  it("makeTempFolder() makes a new one each time", async () => {
    const { files } = virtualHost();
    const folders = [await files.makeTempFolder("x-"), await files.makeTempFolder("x-")];
    assert.notEqual(folders[0], folders[1]);
    assert.equal(await files.exists(folders[0] ?? ""), true);
    assert.deepEqual(await files.list(folders[0] ?? ""), []);
  });

  it("watch() reports changes below a path until it is disposed of", async () => {
    const { clock, files } = virtualHost();
    const seen: string[] = [];
    const watching = files.watch("/a", (path) => seen.push(path));
    await files.writeText("/a/b", "1");
    await files.writeText("/ab", "1");
    await files.remove("/a");
    await clock.settle();
    assert.deepEqual(seen, ["/a/b", "/a/b"]);
    watching[Symbol.dispose]();
    await files.writeText("/a/b", "2");
    await clock.settle();
    assert.equal(seen.length, 2);
  });

  it("resolve() and folderOf() work on POSIX paths", () => {
    const { files } = virtualHost({ cwd: "/home/jane" });
    assert.equal(files.resolve("..", "x"), "/home/x");
    assert.equal(files.resolve("a", "/b"), "/b");
    assert.equal(files.folderOf("/a/b"), "/a");
  });
});
