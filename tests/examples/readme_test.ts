/**
 * Each example does what its README says: whoever adds one need only write the README.
 *
 * What a reader would type is typed (see readme.ts), in virtual time; the lines of `text` blocks must come, in their order.
 * A README that tells its reader in prose what to change by hand is followed up to there: write the command, or test the
 * rest in stages_test.ts.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { examples, perform } from "./performance.ts";
import { stepsOf } from "./readme.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples/", import.meta.url));

describe("Examples", () => {
  for (const example of examples()) {
    it(`${example} logs what its README says`, { timeout: 60_000 }, () => perform(example));
  }

  it("24-reconcile takes sixty lines at most, without its manifests", () => {
    const lines = ["handlers.ts", "website.ts"].flatMap((name) =>
      readFileSync(join(EXAMPLES, "24-reconcile", name), "utf8").trim().split("\n")
    );
    assert.ok(lines.length <= 60, `${lines.length} lines`);
  });
});

describe("stepsOf()", () => {
  it("gives commands, and the lines to see, in order", () => {
    const readme = [
      "Text with `code`, `kubectl get dbs` and `kubectl apply -f x.yaml`.",
      "```sh\ndeno run -A cli.ts dev x.ts\n```",
      "```text\none\ntwo\n```",
      "With `kubectl delete db a` it goes:",
      "```ts\nnothing();\n```",
      "```sh\nkubectl patch db b -p '{\"a\": 1}' # a comment\nsleep 5\n```",
      "```text\nthree\n```",
    ].join("\n\n");
    assert.deepEqual(stepsOf(readme).map((step) => step.kind === "lines" ? step.lines : step.words), [
      ["deno", "run", "-A", "cli.ts", "dev", "x.ts"],
      ["one", "two"],
      ["kubectl", "delete", "db", "a"],
      ["kubectl", "patch", "db", "b", "-p", '{"a": 1}'],
      ["sleep", "5"],
      ["three"],
    ]);
  });
});
