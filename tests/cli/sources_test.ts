import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sourcesOf, watchSources } from "../../lib/cli/sources.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

const FILES = {
  "/work/handlers.ts":
    'import { a } from "./parts/a.ts";\nimport "@lotse/lotse";\nexport * from "../lib/b.ts";\n',
  "/work/parts/a.ts": 'const c = await import("./c.ts"); import type { H } from "../handlers.ts";\n',
  "/work/parts/c.ts": "",
  "/lib/b.ts": "",
};

describe("sourcesOf()", () => {
  it("gives the files with all that they import by relative paths", async () => {
    const found = await sourcesOf(["handlers.ts"], virtualHost({ files: FILES }));
    assert.deepEqual(found.sort(), [
      "/lib/b.ts",
      "/work/handlers.ts",
      "/work/parts/a.ts",
      "/work/parts/c.ts",
    ]);
  });
});

describe("watchSources()", () => {
  async function watch(act: (host: ReturnType<typeof virtualHost>) => Promise<void>): Promise<string[][]> {
    const host = virtualHost({ files: FILES });
    const controller = new AbortController();
    const seen: string[][] = [];
    const watching = (async () => {
      for await (
        const files of watchSources(["handlers.ts", "x.yaml"], { host, signal: controller.signal })
      ) {
        seen.push(files);
      }
    })();
    await host.clock.advance(1);
    await act(host);
    await host.clock.advance(2);
    controller.abort();
    await host.clock.advance(1);
    await watching;
    return seen;
  }

  it("gives nothing while nothing changes", async () => {
    assert.deepEqual(await watch(() => Promise.resolve()), []);
  });

  it("gives what has changed, also in imported files and in files that appear", async () => {
    const seen = await watch(async ({ files }) => {
      await files.writeText("/work/parts/c.ts", "1");
      await files.writeText("/work/x.yaml", "2");
    });
    assert.deepEqual(seen, [["/work/parts/c.ts", "/work/x.yaml"]]);
  });

  it("does not miss what changes while the last change is still being dealt with", async () => {
    const host = virtualHost({ files: FILES });
    const controller = new AbortController();
    const watching = watchSources(["handlers.ts", "x.yaml"], { host, signal: controller.signal });
    const first = watching.next();
    await host.clock.advance(0.1);
    await host.files.writeText("/work/handlers.ts", "1");
    await host.clock.advance(1);
    assert.deepEqual((await first).value, ["/work/handlers.ts"]);
    await host.files.writeText("/work/x.yaml", "2");
    const second = watching.next();
    await host.clock.advance(1);
    controller.abort();
    assert.deepEqual((await second).value, ["/work/x.yaml"]);
  });

  it("takes saves that follow each other quickly for one", async () => {
    const seen = await watch(async ({ files, clock }) => {
      for (const text of ["1", "2", "3"]) {
        await files.writeText("/work/handlers.ts", text);
        await clock.advance(0.25);
      }
    });
    assert.equal(seen.length, 1);
  });
});
