import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import next from "../../examples/38-rehearsal/handlers.ts";
import released from "../../examples/38-rehearsal/released.ts";
import { connectionOf } from "../../lib/kits/testing/connection.ts";
import { start, testCluster } from "../../lib/kits/testing/mod.ts";
import { compareRuns, copyLiveCluster, play, reportRehearsal } from "../../lib/kits/testing/rehearsal/mod.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";

const FOLDER = "examples/38-rehearsal";

describe("examples/38-rehearsal", () => {
  it("is reported as its README says", async () => {
    await using live = await testCluster({
      workloads: true,
      manifests: [`${FOLDER}/crd.yaml`, `${FOLDER}/shops.yaml`],
    });
    {
      await using run = await start(released, { cluster: live, level: "error" });
      await run.advance(30);
    }
    const copy = await copyLiveCluster({
      host: live.host,
      logger: silentLogger(),
      connection: connectionOf(live),
    });
    const old = await play({ copy, hours: 1, operators: [released] });
    const now = await play({ copy, hours: 1, operators: [next] });
    const text = reportRehearsal(compareRuns(copy, { hours: 1, now, old }), {
      now: "handlers.ts",
      old: "released.ts",
    });
    const readme = readFileSync(new URL(`../../${FOLDER}/README.md`, import.meta.url), "utf8");
    const [, told = ""] = /```text report\n([^]*?)\n```/.exec(readme) ?? [];
    const steady = (report: string): string =>
      report.trim().replace(/\d+ objects of the cluster at version \d+/, "objects");
    assert.equal(steady(text), steady(told));
  });
});
