import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RightsRecorder } from "../../../lib/kits/rights/recorder.ts";
import type { ApiRequest, AttemptOutcome } from "../../../lib/client/transport/transport.ts";

const RESOURCE = { group: "batch", version: "v1", plural: "cronjobs" };

/** The rights that requests need, in short. */
function recorded(...requests: (readonly [verb: string, status: number, contentType?: string])[]): string[] {
  const recorder = new RightsRecorder();
  for (const [verb, status, contentType] of requests) {
    const subject = { verb, resource: RESOURCE, namespace: "default" };
    const request: ApiRequest = { method: "", path: "", contentType, subject };
    recorder.requestEnds(request, { status } as AttemptOutcome);
  }
  return recorder.rights.map(({ verb, resource, namespace }) => `${verb} ${resource} in ${namespace}`);
}

describe("RightsRecorder", () => {
  it("keeps each right that was used once, and none that was refused", () => {
    const requests = [["get", 200], ["get", 404], ["delete", 403], ["list", 401]] as const;
    assert.deepEqual(recorded(...requests), ["get cronjobs in default"]);
  });

  it("takes an apply for a creation as well: next time the object may not be there", () => {
    const applied = recorded(["patch", 200, "application/apply-patch+yaml"]);
    assert.deepEqual(applied, ["patch cronjobs in default", "create cronjobs in default"]);
    assert.deepEqual(recorded(["patch", 200, "application/merge-patch+json"]), ["patch cronjobs in default"]);
  });
});
