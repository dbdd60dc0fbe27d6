import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { relativeImports } from "../../lib/runtime/relative_imports.ts";

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
