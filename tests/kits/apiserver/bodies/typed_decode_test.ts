import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeTyped } from "../../../../lib/kits/apiserver/bodies/typed_decode.ts";
import type { JsonObject } from "../../../../lib/model/object.ts";

function decode(type: string, object: JsonObject): { object: JsonObject; unknown: string[] } {
  const unknown: string[] = [];
  const fail = (fault: string): never => {
    throw new SyntaxError(fault);
  };
  decodeTyped(object, type, { fail, unknown });
  return { object, unknown };
}

function pod(container: unknown): JsonObject {
  return { kind: "Pod", metadata: { anything: 1 }, spec: { containers: [container] } };
}

describe("decodeTyped()", () => {
  it("drops what the type does not know, and nulls, and says where", () => {
    const { object, unknown } = decode("core.Pod", {
      ...pod({ name: "a", typo: 1, ports: null, env: [{ name: "A", x: 1 }] }),
      odd: {},
    });
    assert.deepEqual(unknown, ["spec.containers[0].typo", "spec.containers[0].env[0].x", "odd"]);
    assert.deepEqual(object, pod({ name: "a", env: [{ name: "A" }] }));
  });

  it("writes amounts in one form, in fields and in lists of resources", () => {
    const limits = { memory: "1024Mi", cpu: 0.5 };
    const volumes = [{ name: "v", emptyDir: { sizeLimit: 1000 } }, {
      name: "w",
      emptyDir: { sizeLimit: null },
    }];
    const { object } = decode("core.Pod", {
      spec: { containers: [{ name: "a", resources: { limits } }], volumes },
    });
    assert.deepEqual(object.spec, {
      containers: [{ name: "a", resources: { limits: { memory: "1Gi", cpu: "500m" } } }],
      volumes: [{ name: "v", emptyDir: { sizeLimit: "1k" } }, { name: "w", emptyDir: {} }],
    });
  });

  it("keeps free-form values, whatever is in them", () => {
    const schema = {
      type: "object",
      default: { a: { b: null } },
      properties: { __x: { enum: [null, { y: 1 }] } },
    };
    const crd = { spec: { versions: [{ schema: { openAPIV3Schema: schema } }] } };
    assert.deepEqual(decode("apiextensions.CustomResourceDefinition", structuredClone(crd)).object, crd);
  });

  it("takes nulls in lists and maps for Go's zero values, and zero for nothing where it keeps no pointer", () => {
    const { object } = decode("core.ConfigMap", { data: { a: null, b: "" } });
    assert.deepEqual(object, { data: { a: "", b: "" } });
    const spec = { ...pod({ name: "a", args: [null, "b"], tty: false, env: [null], workingDir: "" }) };
    const decoded = decode("core.Pod", {
      ...spec,
      spec: { ...spec.spec as JsonObject, priority: 0, hostNetwork: false },
    });
    assert.deepEqual(decoded.object.spec, {
      containers: [{ name: "a", args: ["", "b"], env: [{}] }],
      priority: 0,
    });
  });

  for (
    const [container, words] of [
      [{ name: 1 }, "number into Go struct field Container.spec.containers.name of type string"],
      [
        { ports: [{ containerPort: "x" }] },
        "string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32",
      ],
      [
        { ports: [{ containerPort: 1.5 }] },
        "number 1.5 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32",
      ],
      [
        { ports: {} },
        "object into Go struct field Container.spec.containers.ports of type []v1.ContainerPort",
      ],
      [{ stdin: "yes" }, "string into Go struct field Container.spec.containers.stdin of type bool"],
      [
        { resources: [] },
        "array into Go struct field Container.spec.containers.resources of type v1.ResourceRequirements",
      ],
      [
        { readinessProbe: { tcpSocket: { port: true } } },
        "bool into Go struct field TCPSocketAction.spec.containers.readinessProbe.ProbeHandler.tcpSocket.port of type int32",
      ],
    ] as const
  ) {
    it(`refuses ${JSON.stringify(container)} in Go's words`, () => {
      assert.throws(() => decode("core.Pod", pod(container)), { message: `json: cannot unmarshal ${words}` });
    });
  }

  it("refuses quantities and times that are none", () => {
    for (const cpu of ["1", "100m", "1.5", "1e3", "1Gi", ".5", "-1", 2]) {
      decode("core.Pod", pod({ resources: { limits: { cpu } } }));
    }
    for (const cpu of ["", "x", "1 Gi", "1g", "1.2.3", "1Gi1"]) {
      assert.throws(
        () => decode("core.Pod", pod({ resources: { limits: { cpu } } })),
        /quantities must match/,
        cpu,
      );
    }
    decode("coordination.Lease", { spec: { renewTime: "2026-01-01T00:00:00.123456Z" } });
    assert.throws(() => decode("coordination.Lease", { spec: { renewTime: "soon" } }), /parsing time "soon"/);
  });
});
