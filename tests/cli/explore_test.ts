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

/** Without it, each edit is a call of nothing. */
const SOUND = LOOP.replace("patch.status.count = status.count + 1;", "");

const SMALLEST = ["--objects", "1", "--edits", "0", "--kills", "0", "--losses", "0", "--depth", "20"];

describe("lotse explore", () => {
  it(
    "[N21.28] tells a finding as JSON, and ends with 3; wrong usage is 2, all runs without a finding 0",
    { timeout: 3 * PATIENCE },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "explore-"));
      try {
        const [handlers, sound] = [join(folder, "handlers.ts"), join(folder, "sound.ts")];
        const crd = join(folder, "crd.json");
        writeFileSync(handlers, LOOP);
        writeFileSync(sound, SOUND);
        writeFileSync(crd, JSON.stringify(definitionOf(EXAMPLES)));
        await using program = lotse(["explore", handlers, "--crd", crd, ...SMALLEST, "--json"]);
        await using wrong = lotse(["explore", handlers, "--minutes", "0"]);
        await using right = lotse(["explore", sound, "--crd", crd, ...SMALLEST, "--no-stale-reads"]);
        assert.equal(await program.ended(), 3, program.stderr);
        const { finding } = JSON.parse(program.stdout);
        assert.equal(finding.rule, "rest");
        assert.equal(finding.plan.steps.length, 1);
        assert.equal(await wrong.ended(), 2, wrong.stderr);
        assert.equal(await right.ended(), 0, right.stderr);
        assert.match(right.stdout, /^Converges in all \d+ runs, \d+ states, in [\d.]+ s\.$/m);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
});
