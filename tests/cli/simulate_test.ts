import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { definitionOf, EXAMPLES } from "../support/worlds.ts";
import { lotse, PATIENCE, ROOT } from "./processes.ts";

/** A handler of a status field that changes it, for ever. */
const LOOP = `
import { operator, resource } from "${ROOT}mod.ts";
const Example = resource({ group: "lotse.test", version: "v1", plural: "examples" });
const op = operator();
op.on.create(Example, ({ patch }) => void (patch.status.count = 1));
op.on.field(Example, "status.count", function count({ patch, status }) {
  patch.status.count = status.count + 1;
});
export default op;
`;

describe("lotse simulate", () => {
  it(
    "[N21.9] tells a finding as JSON, and ends with 3; wrong usage is 2",
    { timeout: 3 * PATIENCE },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "simulate-"));
      try {
        const handlers = join(folder, "handlers.ts");
        const crd = join(folder, "crd.json");
        writeFileSync(handlers, LOOP);
        writeFileSync(crd, JSON.stringify(definitionOf(EXAMPLES)));
        await using program = lotse(["simulate", handlers, "--crd", crd, "--runs", "5", "--json"]);
        assert.equal(await program.ended(), 3, program.stderr);
        const { finding } = JSON.parse(program.stdout);
        assert.equal(finding.rule, "rest");
        assert.equal(finding.plan.steps.length, 1);
        await using wrong = lotse(["simulate", handlers, "--minutes", "0"]);
        assert.equal(await wrong.ended(), 2, wrong.stderr);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
});
