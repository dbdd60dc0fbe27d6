/** The test in examples/20-testing, which runs here as the tests' own; and the page that shows it. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import "../../examples/20-testing/greet_test.ts";
import "../../examples/33-replicas/failover_test.ts";
import { EXAMPLES } from "./performance.ts";

it("docs/testing.md shows the test of examples/20-testing as it is", () => {
  const page = readFileSync(join(EXAMPLES, "../docs/testing.md"), "utf8");
  const [, shown] = /```ts\n([^]*?)```/.exec(page) ?? [];
  assert.equal(readFileSync(join(EXAMPLES, "20-testing/greet_test.ts"), "utf8"), shown);
});
