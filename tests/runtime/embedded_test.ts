import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { doorFiles } from "../../lib/runtime/embedded.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

describe("doorFiles()", () => {
  it("names the files where they lie, and writes nothing", async () => {
    const host = virtualHost({ files: {} });
    const doors = await doorFiles("/work/temp", host);
    assert.match(doors.get("@lotse/lotse") ?? "", /^file:\/\/\/.*\/mod\.ts$/);
    assert.match(doors.get("@lotse/lotse/executable") ?? "", /executable\.ts$/);
    assert.equal(await host.files.exists("/work/temp"), false);
  });

  it("unpacks those of an executable into the user's cache, once", async () => {
    const host = virtualHost({ files: {}, env: { XDG_CACHE_HOME: "/home/me/.cache" } });
    const embedded = {
      doors: {},
      files: { "mod.js": "export {};", "lib/a.js": "a();" },
      entries: { "@lotse/lotse": "mod.js" },
      digest: "d1",
    };
    const doors = await doorFiles("/work/temp", host, embedded);
    const [, root = ""] = /^file:\/\/(.*)\/mod\.js$/.exec(doors.get("@lotse/lotse") ?? "") ?? [];
    assert.match(root, /\/\.cache\/lotse\/package-d1$/);
    assert.equal(await host.files.readText(`${root}/lib/a.js`), "a();");
    assert.deepEqual(await host.files.list(root), ["lib", "mod.js"]);
    await host.files.writeText(`${root}/mod.js`, "as it was");
    await doorFiles("/work/temp", host, embedded);
    assert.equal(await host.files.readText(`${root}/mod.js`), "as it was");
  });
});
