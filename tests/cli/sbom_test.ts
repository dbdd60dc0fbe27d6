import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatSbom, lockedPackages } from "../../lib/cli/sbom.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

/** Of the text "abc", as registries write it. */
const INTEGRITY = "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
const HEX = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

async function packagesIn(name: string, text: string): Promise<string[]> {
  const host = virtualHost({ files: { [`/work/shop/${name}`]: text, "/work/shop/src/handlers.ts": "" } });
  return (await lockedPackages("/work/shop/src", host)).map((each) =>
    [each.type, each.name, each.version, each.hash?.content ?? "", each.license ?? ""].join(" ").trim()
  );
}

describe("lockedPackages()", () => {
  it("reads locks of Deno, with packages of npm and JSR, whatever their peers", async () => {
    const lock = {
      version: "5",
      npm: {
        "@hono/node-server@2.1.8_hono@4.13.19": { integrity: INTEGRITY },
        "hono@4.13.19": { integrity: INTEGRITY },
      },
      jsr: { "@std/assert@1.0.0": { integrity: HEX } },
    };
    assert.deepEqual(await packagesIn("deno.lock", JSON.stringify(lock)), [
      `jsr @std/assert 1.0.0 ${HEX}`,
      `npm @hono/node-server 2.1.8 ${HEX}`,
      `npm hono 4.13.19 ${HEX}`,
    ]);
    await assert.rejects(packagesIn("deno.lock", '{"version":"9"}'), ({ cause }: Error) => {
      assert.match(String(cause), /version is 9: 4 and 5 are read \(deno install writes it anew\)/);
      return true;
    });
  });

  it("reads locks of npm, without packages for development, links and the project itself", async () => {
    const packages = {
      "": { name: "shop", version: "1.0.0" },
      "node_modules/zod": { version: "4.0.0", integrity: INTEGRITY, license: "MIT" },
      "node_modules/a/node_modules/zod": { version: "3.0.0" },
      "node_modules/typescript": { version: "7.0.2", dev: true },
      "node_modules/local": { link: true },
      "node_modules/other": { name: "real-name", version: "1.1.1" },
    };
    assert.deepEqual(
      await packagesIn("package-lock.json", JSON.stringify({ lockfileVersion: 3, packages })),
      [
        "npm real-name 1.1.1",
        "npm zod 3.0.0",
        `npm zod 4.0.0 ${HEX} MIT`,
      ],
    );
    await assert.rejects(packagesIn("package-lock.json", '{"lockfileVersion":1}'), ({ cause }: Error) => {
      assert.match(String(cause), /lockfileVersion is 1: 2 and 3 are read/);
      return true;
    });
  });

  it("reads locks of Bun, which have commas that trail", async () => {
    const text = `{
      "lockfileVersion": 1,
      "workspaces": { "": { "dependencies": { "a": "^1.0.0", "zod": "^4.0.0", }, "devDependencies": { "dev": "1", }, }, },
      "packages": {
        "a": ["a@1.2.3", "", { "dependencies": { "zod": "3", "deep": "1", }, }, "${INTEGRITY}"],
        "a/zod": ["zod@3.0.0", "", {}, "${INTEGRITY}"],
        "deep": ["deep@1.0.0", "", {}, "${INTEGRITY}"],
        "dev": ["dev@1.0.0", "", {}, "${INTEGRITY}"],
        "zod": ["zod@4.0.0", "", {}, "${INTEGRITY}"],
        "local": ["local@workspace:packages/local"],
      },
    }`;
    assert.deepEqual((await packagesIn("bun.lock", text)).map((each) => each.replace(` ${HEX}`, "")), [
      "npm a 1.2.3",
      "npm deep 1.0.0",
      "npm zod 3.0.0",
      "npm zod 4.0.0",
    ]);
  });

  it("refuses projects without a lock, and forms that it does not read, and says how to make one", async () => {
    await assert.rejects(
      packagesIn("package.json", "{}"),
      /no lock file is in .*deno install, npm install or/,
    );
    await assert.rejects(packagesIn("bun.lockb", ""), /not read \(make a bun\.lock: .*--save-text-lockfile/);
    await assert.rejects(packagesIn("pnpm-lock.yaml", ""), /npm install --package-lock-only/);
    await assert.rejects(
      packagesIn("deno.lock", "[]"),
      /Cannot list the packages of "\/work\/shop\/deno\.lock"/,
    );
  });
});

describe("formatSbom()", () => {
  it("names the executable, the runtime, Lotse and each package, and has no time in it", () => {
    const packages = [{ type: "npm", name: "@hono/node-server", version: "2.1.8" }] as const;
    const subject = { name: "operator", version: "1.4.0", runtime: { name: "bun", version: "1.4.5" } };
    const bill = JSON.parse(formatSbom(packages, subject));
    assert.deepEqual([bill.bomFormat, bill.specVersion, bill.version], ["CycloneDX", "1.6", 1]);
    assert.deepEqual([bill.metadata.component.name, bill.metadata.component.version], ["operator", "1.4.0"]);
    assert.deepEqual(
      bill.components.map((each: Record<string, string>) =>
        `${each.group ?? ""} ${each.name} ${each.version}`
      ),
      [" bun 1.4.5", `@lotse lotse ${bill.metadata.tools.components[0].version}`, "@hono node-server 2.1.8"],
    );
    assert.equal(bill.components[2].purl, "pkg:npm/%40hono/node-server@2.1.8");
    const references = bill.components.map((each: Record<string, string>) => each["bom-ref"]);
    assert.deepEqual(bill.dependencies, [{ ref: "executable", dependsOn: references }]);
    assert.equal(bill.metadata.timestamp, undefined);
    assert.equal(formatSbom(packages, subject), formatSbom(packages, subject));
  });
});
