import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { relativeImports } from "../../lib/runtime/modules.ts";

describe("importModule()", () => {
  const folder = mkdtempSync(join(tmpdir(), "lotse-fresh-"));
  const main = join(folder, "main.ts");
  function write(version: number): void {
    writeFileSync(join(folder, "part.ts"), `export const version: number = ${version};`);
    writeFileSync(main, `import { version } from "./part.ts"; export default version;`);
  }

  it("gives the same module again, unless asked for a fresh one", async () => {
    const host = currentHost();
    write(1);
    assert.equal((await host.process.importModule(main)).default, 1);
    write(2);
    assert.equal((await host.process.importModule(main)).default, 1);
    assert.equal((await host.process.importModule(main, { fresh: true })).default, 2);
  });

  it("gives a fresh module with fresh relative imports, each time", async () => {
    const host = currentHost();
    for (const version of [3, 4]) {
      write(version);
      assert.equal((await host.process.importModule(main, { fresh: true })).default, version);
    }
  });

  it("gives a fresh module after one that threw, or whose import threw", async () => {
    const host = currentHost();
    const fresh = () => host.process.importModule(main, { fresh: true });
    write(5);
    writeFileSync(join(folder, "part.ts"), `throw new Error("no part");`);
    await assert.rejects(fresh(), /no part|version/);
    writeFileSync(main, `throw new Error("no main");`);
    await assert.rejects(fresh(), /no main/);
    writeFileSync(main, `export default 6;`);
    assert.equal((await fresh()).default, 6);
  });

  it("leaves packages and built-ins alone in fresh modules", async () => {
    const host = currentHost();
    writeFileSync(main, `import assert from "node:assert/strict"; export default assert;`);
    assert.equal((await host.process.importModule(main, { fresh: true })).default, assert);
  });
});

describe("importModule() of a folder where nothing is installed", () => {
  const folder = mkdtempSync(join(tmpdir(), "lotse-stranger-"));
  const main = join(folder, "main.ts");
  const { importModule } = currentHost().process;

  it("gives handlers this very instance of the package by its name, fresh or not", async () => {
    const own = await import("../../mod.ts");
    const testing = await import("../../lib/kits/testing/mod.ts");
    writeFileSync(
      main,
      `export { operator } from "@lotse/lotse"; export { start } from "@lotse/lotse/testing";`,
    );
    for (const fresh of [false, true]) {
      const { operator, start } = await importModule(main, { fresh });
      assert.equal(operator, own.operator);
      assert.equal(start, testing.start);
    }
  });

  it("finds the packages of that folder", async () => {
    const tea = join(folder, "node_modules/tea");
    mkdirSync(tea, { recursive: true });
    writeFileSync(join(tea, "package.json"), `{ "name": "tea", "type": "module", "exports": "./tea.js" }`);
    writeFileSync(join(tea, "tea.js"), `export default "hot";`);
    const brew = join(folder, "brew.ts");
    writeFileSync(
      brew,
      `import tea from "tea"; import { operator } from "@lotse/lotse"; export default [tea, typeof operator];`,
    );
    assert.deepEqual((await importModule(brew)).default, ["hot", "function"]);
  });
});

describe("relativeImports()", () => {
  it("finds imports, re-exports and dynamic imports of relative paths", () => {
    const text = `import a from "./a.ts";\nimport {\n  b,\n} from '../b.ts';\nexport * from "./c.ts";\n` +
      `import "./d.ts";\nconst e = await import("./e.ts");\nimport type { F } from "./f/f.ts";\n`;
    assert.deepEqual(relativeImports(text), ["./a.ts", "../b.ts", "./c.ts", "./d.ts", "./e.ts", "./f/f.ts"]);
  });

  it("leaves packages and built-ins out", () => {
    assert.deepEqual(relativeImports(`import a from "a"; import b from "node:fs"; import "@c/d";`), []);
  });
});
