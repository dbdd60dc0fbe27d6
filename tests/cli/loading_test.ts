import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { CommandError, describeError } from "../../lib/cli/errors.ts";
import { importFiles, operatorsOf } from "../../lib/cli/loading.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { operator } from "../../mod.ts";
import { project } from "./processes.ts";

const MOD = new URL("../../mod.ts", import.meta.url).href;
const folder = project({});

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text.replace("@lotse/lotse", MOD));
  return path;
}

function load(path: string) {
  return importFiles([path], { host: currentHost() });
}

async function failure(path: string): Promise<string> {
  const error: unknown = await load(path).then(() => undefined, (error) => error);
  assert.ok(error instanceof CommandError);
  return error.message;
}

describe("importFiles()", () => {
  it("says which file is missing", async () => {
    assert.equal(
      await failure("/nowhere/handlers.ts"),
      'Cannot load "/nowhere/handlers.ts": there is no such file',
    );
  });

  it("[B283] importFiles() shows the line of a syntax error", async () => {
    const path = write("syntax.ts", "const a: number = 1;\nconst b = = 2;\nexport default a;\n");
    const message = await failure(path);
    assert.ok(message.startsWith(`Cannot load "${path}": `), message);
    assert.ok(message.includes(`at ${path}:2\n  2 | const b = = 2;`), message);
  });

  it("shows the line that throws", async () => {
    const path = write("throws.ts", 'const a: number = 1;\n\nthrow new Error("no " + a);\n');
    assert.equal(
      await failure(path),
      `Cannot load "${path}": no 1\n  at ${path}:3\n  3 | throw new Error("no " + a);`,
    );
  });

  it("says what is thrown where it is no error", async () => {
    const path = write("text.ts", 'throw "just text";\n');
    assert.equal(await failure(path), `Cannot load "${path}": it throws "just text"`);
  });

  it("names the file that an import misses", async () => {
    const path = write("missing.ts", 'const a = 1;\nimport { x } from "./absent.ts";\nexport default x;\n');
    const message = await failure(path);
    assert.match(message, /absent\.ts/);
    assert.ok(message.endsWith(`\n  at ${path}:2\n  2 | import { x } from "./absent.ts";`), message);
  });

  it("says once what a package does not export", async () => {
    const path = write("named.ts", 'import { joinn } from "node:path";\nexport default joinn;\n');
    assert.equal((await failure(path)).match(/joinn'/g)?.length ?? 1, 1);
    const error: unknown = await load(path).catch((error) => error);
    assert.equal(describeError(error).match(/'joinn'|named joinn/g)?.length, 1, describeError(error));
  });

  it("[B282] gives the modules in the order of the files", async () => {
    const paths = [write("b.ts", "export default 1;"), write("a.ts", "export default 2;")];
    const files = await importFiles(paths, { host: currentHost() });
    assert.deepEqual(files.map(({ path, module }) => [path, module.default]), [[paths[0], 1], [paths[1], 2]]);
  });
});

describe("operatorsOf()", () => {
  const op = operator();
  op.on.create("things", () => {});

  it("gives the default exports of the files, each once", () => {
    const other = operator();
    other.on.create("things", () => {});
    const files = [op, other, op].map((each, index) => ({ path: `${index}.ts`, module: { default: each } }));
    assert.deepEqual(operatorsOf(files), [op, other]);
  });

  it("refuses a file that exports no operator", () => {
    assert.throws(
      () => operatorsOf([{ path: "a.ts", module: { default: undefined } }]),
      new CommandError(
        'Cannot run "a.ts": it exports no operator (declare some on operator(), and add ' +
          '"export default op")',
      ),
    );
  });

  it("points to an operator that is exported under a name", () => {
    assert.throws(() => operatorsOf([{ path: "a.ts", module: { mine: op } }]), /add "export default mine"/);
  });

  it("refuses a default export that is no operator, or one without handlers", () => {
    assert.throws(
      () => operatorsOf([{ path: "a.ts", module: { default: {} } }]),
      /"a\.ts": its default export is no operator/,
    );
    assert.throws(
      () => operatorsOf([{ path: "a.ts", module: { default: operator() } }]),
      /"a\.ts": its operator has no handlers/,
    );
  });
});
