/** Control planes that are lent, restored and lent again; skipped, with the reason, where there are no executables. */

import assert from "node:assert/strict";
import process from "node:process";
import { afterEach, describe, it } from "node:test";
import type { ControlPlane } from "./control_plane.ts";
import { findControlPlane } from "./control_plane.ts";
import { borrowControlPlane, Lender, LENDER_VARIABLE } from "./lending.ts";

const options = { skip: findControlPlane().reason ?? false, timeout: 180_000 };

function definition(plural: string, kind: string): string {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      names: { plural, singular: kind.toLowerCase(), kind },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  });
}

async function apply(plane: ControlPlane, ...texts: string[]): Promise<void> {
  for (const input of texts) await plane.kubectl(["apply", "-f", "-"], { input });
}

/** All objects, each with its finalizers, and what is served. */
async function contentOf(plane: ControlPlane): Promise<string[]> {
  const kinds =
    "namespaces,configmaps,clusterroles,validatingwebhookconfigurations,crds,services,ships.example.com";
  const shown = ["-A", "-o", 'jsonpath={range .items[*]}{.kind}/{.metadata.name}/{.data}{"\\n"}{end}'];
  const served = await plane.kubectl(["api-resources", "-o", "name"]);
  const objects = await plane.kubectl(["get", kinds, ...shown]);
  return [...served.split("\n"), ...objects.split("\n")].sort();
}

describe("A lender", () => {
  const before = process.env[LENDER_VARIABLE];
  const use = (address: string | undefined): void => {
    if (address === undefined) delete process.env[LENDER_VARIABLE];
    else process.env[LENDER_VARIABLE] = address;
  };
  afterEach(() => use(before));

  it("brings a control plane back to how it was, and lends it again", options, async () => {
    await using lender = await Lender.open(async (plane) => {
      await apply(plane, definition("ships", "Ship"));
      await plane.kubectl(["wait", "--for=condition=Established", "crd", "--all"]);
    });
    use(lender.addressFor("first"));
    const first = await borrowControlPlane();
    assert.ok(first);
    const found = await contentOf(first);
    await apply(first, definition("boats", "Boat"));
    await first.kubectl(["wait", "--for=condition=Established", "crd", "--all"]);
    const metadata = { name: "left", namespace: "harbour", finalizers: ["example.com/stay"] };
    await apply(
      first,
      JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "harbour" } }),
      JSON.stringify({ apiVersion: "example.com/v1", kind: "Boat", metadata }),
      JSON.stringify({ apiVersion: "example.com/v1", kind: "Ship", metadata }),
      JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { left: "behind" } }),
    );
    await first.kubectl(["delete", "namespace", "harbour", "--wait=false"]);
    await first.kubectl(["delete", "crd", "ships.example.com", "--wait=false"]);
    lender.takeBack("first");
    use(lender.addressFor("second"));
    const second = await borrowControlPlane();
    assert.ok(second);
    assert.equal(second.server, first.server);
    assert.equal(lender.started, 1);
    assert.deepEqual(await contentOf(second), found);
    await apply(
      second,
      JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "harbour" } }),
    );
    await apply(second, JSON.stringify({ apiVersion: "example.com/v1", kind: "Ship", metadata }));
    lender.takeBack("second");
  });

  it("lends a job one control plane, and none where nobody lends", options, async () => {
    await using lender = await Lender.open(() => Promise.resolve());
    use(lender.addressFor("job"));
    const [one, other] = await Promise.all([borrowControlPlane(), borrowControlPlane()]);
    assert.deepEqual([one, other].filter((plane) => plane !== undefined).length, 1);
    await assert.rejects((one ?? other)!.stopApiServer(), /others use after this file/);
    use(undefined);
    assert.equal(await borrowControlPlane(), undefined);
    lender.takeBack("job");
    lender.takeBack("unknown");
  });
});
