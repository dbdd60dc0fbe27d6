import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { acceptOf, projectionOf } from "../../lib/client/projection.ts";
import { PODS } from "../../lib/model/kinds.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";

const logger = silentLogger();
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", namespace: "n", uid: "u", resourceVersion: "1", labels: { a: "b" } },
  spec: { x: 1 },
};

describe("projectionOf()", () => {
  it("gives nothing for kinds that are taken whole", () => {
    assert.equal(projectionOf(PODS, { logger }), undefined);
    assert.equal(acceptOf(undefined, "list"), undefined);
  });

  it("gives metadata back its kind", () => {
    const projection = projectionOf(PODS, { metadataOnly: true, logger });
    const partial = { ...pod, apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata" };
    assert.deepEqual(projection?.project(partial), { apiVersion: "v1", kind: "Pod", metadata: pod.metadata });
    assert.match(String(acceptOf(projection, "watch")), /as=PartialObjectMetadata;/);
    assert.match(String(acceptOf(projection, "list")), /as=PartialObjectMetadataList;/);
  });

  it("lets functions change a copy or give another object, but not take away who it is", () => {
    const projection = projectionOf(PODS, {
      transforms: [
        (object) => void (object.metadata = {}),
        (object) => ({ ...object, kind: "Other", spec: { y: 2 } }),
      ],
      logger,
    });
    assert.deepEqual(projection?.project(pod), {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "a", namespace: "n", uid: "u", resourceVersion: "1" },
      spec: { y: 2 },
    });
    assert.deepEqual(pod.metadata.labels, { a: "b" });
    assert.equal(acceptOf(projection, "watch"), undefined);
  });
});
