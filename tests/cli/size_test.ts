import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { main } from "../../lib/cli/main.ts";
import { resourcesFor, told } from "../../lib/cli/size_table.ts";
import type { Measured } from "../../lib/kits/testing/sizing/mod.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import { definitionOf, EXAMPLES } from "../support/worlds.ts";
import { lotse, PATIENCE, ROOT } from "./processes.ts";

/** A handler that ends the process, if it is called. */
const HANDLERS = `
import { operator, resource } from "${ROOT}mod.ts";
const Example = resource({ group: "lotse.test", version: "v1", plural: "examples" });
const op = operator();
op.on.create(Example, function make() { process.exit(7); });
op.on.startup(() => process.exit(8));
export default op;
`;

const MIB = 2 ** 20;

const MEASURED: Measured = {
  runtime: "bun 1.4.5",
  before: 60 * MIB,
  peak: 300 * MIB,
  rest: 160 * MIB,
  cpu: 12,
  took: 15,
  block: 0.04,
  kinds: [{ kind: "examples.lotse.test", objects: 20_000, sent: 9000, packed: 19_000, packedBytes: 38e6 }],
  refused: { "PATCH /apis/lotse.test/v1/examples": 3 },
  warnings: [],
};

describe("lotse size", () => {
  it("requests the memory at rest and a fifth, and allows the peak and three tenths", () => {
    assert.deepEqual(resourcesFor(MEASURED), {
      requests: { cpu: "200m", memory: "192Mi" },
      limits: { memory: "400Mi" },
    });
    const small = resourcesFor({ ...MEASURED, peak: 161 * MIB, rest: 200 * MIB, cpu: 0.1 });
    assert.deepEqual(small, { requests: { cpu: "50m", memory: "240Mi" }, limits: { memory: "240Mi" } });
  });

  it("tells what an object costs, and which writes were refused", () => {
    const kind = {
      kind: "examples.lotse.test",
      path: "/apis/lotse.test/v1/examples",
      apiVersion: "lotse.test/v1",
      singular: "Example",
      objects: 20_000,
      bytes: 5000,
      texts: [],
    };
    const text = told({ plan: { kinds: [kind], answers: {} }, all: MEASURED, alone: {} });
    assert.match(text, /examples\.lotse\.test +20000 +5000 +9000 +52 +19000 +2000\n/);
    assert.match(text, /start +12\.0 s of CPU in 15\.0 s, longest block 40 ms/);
    assert.match(text, /Refused: PATCH \/apis\/lotse\.test\/v1\/examples, 3 times/);
    assert.match(text, /memory: 192Mi #/);
    assert.match(text, /Measured on bun 1\.4\.5\./);
    assert.doesNotMatch(text, /fewer than/);
    const few = {
      plan: { kinds: [{ ...kind, objects: 3 }], answers: {} },
      all: { ...MEASURED, kinds: MEASURED.kinds.map((each) => ({ ...each, objects: 3, packed: 0 })) },
      alone: {},
    };
    assert.match(told(few), /examples\.lotse\.test +3 +5000 +9000 +0\n\(fewer than 2000 objects/);
  });

  it("wants numbers above 0", async () => {
    for (
      const wrong of [["--objects", "0"], ["--objects", "a=b=1"], ["--objects", "a=0"], ["--bytes", "x"]]
    ) {
      assert.equal(await main(virtualHost(), ["size", "handlers.ts", ...wrong]), 2, wrong.join(" "));
    }
  });

  it(
    "measures in a process of its own, and calls no handler; an operator that cannot be measured ends with 1",
    { timeout: 3 * PATIENCE },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "size-"));
      try {
        const handlers = join(folder, "handlers.ts");
        const crd = join(folder, "crd.json");
        writeFileSync(handlers, HANDLERS);
        writeFileSync(crd, JSON.stringify(definitionOf(EXAMPLES)));
        const objects = ["--objects", "examples=300", "--bytes", "3000", "--rest", "1"];
        await using program = lotse(["size", handlers, "--crd", crd, ...objects, "--json"]);
        assert.equal(await program.ended(), 0, program.stderr);
        const { kinds, resources, refused, before, rest } = JSON.parse(program.stdout);
        assert.equal(kinds[0].objects, 300);
        assert.ok(kinds[0].sent > 3000 && before > 0 && rest > 0, program.stdout);
        assert.match(resources.requests.memory, /^\d+Mi$/);
        assert.deepEqual(refused, {});
        await using unknown = lotse(["size", handlers]);
        assert.equal(await unknown.ended(), 1);
        assert.match(unknown.stderr, /^error: Cannot measure objects of .*its definition is not known/);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
});
