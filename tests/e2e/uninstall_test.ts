/**
 * Leaving a real cluster by manifests alone: the operator was killed, its code is not asked, and everything in the cluster is listed
 * before it came and after it went.
 *
 * NB: time is real here. No controller of Deployments runs, so that the operator is a process beside the cluster; the Service is one of
 * the type ExternalName, which leads to it.
 */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Client } from "../../lib/client/client.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { groupResource } from "../../lib/model/resource.ts";
import { parseYaml } from "../../lib/runtime/yaml.ts";
import { lotse } from "../cli/processes.ts";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { findPort } from "../control_plane/readiness.ts";
import { until } from "./operator_process.ts";
import { RealPlace } from "../support/real_world.ts";
import { sized } from "../support/size.ts";

const HANDLERS = fileURLToPath(new URL("uninstall_handlers.ts", import.meta.url));
const skip = findControlPlane().reason ?? false;

/** How many objects there are, half of them with finalizers. */
const COUNT = Number(process.env["OBJECTS"] ?? sized({ short: 40, full: 1000 }));

const SHOPS = { group: "leaving.lotse.test", version: "v1", plural: "shops", namespaced: true };
const TILLS = { ...SHOPS, plural: "tills" };

/** Everything in a cluster that people have written, by kind and name; not what the server does by itself. */
async function everything(client: Client): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>();
  await client.discovery.refresh();
  for (const kind of await client.discovery.all()) {
    if (!kind.preferred || !kind.verbs.includes("list") || kind.plural === "events") continue;
    // The server's own: its Leases, addresses of its Services, and the CRDs' state.
    if (["apiservices", "endpoints", "endpointslices", "componentstatuses"].includes(kind.plural)) continue;
    for await (const { items } of client.list(kind)) {
      for (const { metadata, status, ...rest } of items) {
        const { name, namespace = "", labels, annotations = {}, finalizers } = metadata;
        if (namespace === "kube-system") continue;
        const { ["kubectl.kubernetes.io/last-applied-configuration"]: _, ...others } = annotations;
        const own = kind.plural === "customresourcedefinitions" ? {} : { status };
        found.set(`${groupResource(kind)} ${namespace}/${name}`, {
          ...rest,
          ...own,
          metadata: { labels, annotations: others, finalizers },
        });
      }
    }
  }
  return found;
}

async function command(
  args: readonly string[],
  kubeconfig: string,
): Promise<{ code: unknown; output: string }> {
  const program = lotse([...args, ...args[0] === "uninstall" ? ["--kubeconfig", kubeconfig] : []]);
  const code = await program.ended();
  return { code, output: program.output };
}

/** How many objects have notes. */
async function marked(client: Client): Promise<number> {
  let count = 0;
  for (const kind of [SHOPS, TILLS]) {
    for await (const { items } of client.list(kind)) {
      count += items.filter(({ metadata: { annotations = {} } }) =>
        "shops.leaving.test/last-handled-configuration" in annotations
      ).length;
    }
  }
  return count;
}

async function isReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`);
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

describe("uninstall on a real control plane", () => {
  it(
    `[N33.7] leaves nothing of an operator behind that was killed, by its manifests alone, on ${COUNT} objects`,
    { skip, timeout: 280_000 },
    async () => {
      await using place = await RealPlace.open();
      const { client, plane } = place;
      const { kubeconfig } = plane;
      const [port, probes] = [await findPort(), await findPort()];
      const generated = lotse([
        ...[
          "generate",
          "manifests",
          HANDLERS,
          "--image",
          "leaving:1",
          "--name",
          "leaving",
          "--home",
          "leaving",
        ],
      ]);
      assert.equal(await generated.ended(), 0, generated.output);
      // Without a controller of Deployments the Service leads to the process.
      const manifests = (parseYaml(generated.stdout) as unknown as KubeObject[]).map((each) =>
        each.kind === "Service" && each.metadata.name === "leaving-webhook"
          ? { ...each, spec: { type: "ExternalName", externalName: "localhost" } }
          : each
      );
      const file = join(plane.directory, "leaving.json");
      const definitions = { apiVersion: "v1", kind: "List", items: manifests };
      writeFileSync(file, JSON.stringify(definitions));
      const before = await everything(client);
      await plane.kubectl(["apply", "--server-side", "-f", file]);
      await plane.kubectl(["wait", "--for=condition=established", "crd/shops.leaving.lotse.test"]);
      const half = Array.from({ length: COUNT / 2 }, (_, number) => number);
      const annotations = { "shops.leaving.test/owner": "people", "other.dev/mark": "theirs" };
      const metadata = { namespace: "default", finalizers: ["other.dev/held"], annotations };
      const make = (kind: typeof SHOPS, title: string) => (number: number) =>
        client.create(kind, {
          apiVersion: "leaving.lotse.test/v1",
          kind: title,
          metadata: { ...metadata, name: `${kind.plural}-${number}` },
          spec: { size: number % 100 },
        });
      {
        const env = { PORT: String(port), SERVICE_PORT: String(port) };
        await using operator = lotse(
          [
            ...["run", HANDLERS, "-A", "--standalone", "--kubeconfig", kubeconfig, "--log-format", "plain"],
            ...["--liveness", `http://127.0.0.1:${probes}/healthz`],
          ],
          { env },
        );
        const said = (): string => operator.output.slice(-5000);
        await until(() => isReady(probes), said);
        await Promise.all(half.map(make(SHOPS, "Shop")));
        await Promise.all(half.map(make(TILLS, "Till")));
        await until(async () => await marked(client) === COUNT, said);
        const address = { namespace: "default", name: "tills-1" };
        await client.patch(TILLS, address, { type: "merge", body: { spec: { size: 77 } } });
        await until(async () => JSON.stringify(await client.get(TILLS, address)).includes("recount"), said);
        operator.kill("SIGKILL");
        await operator.ended();
      }
      assert.equal(await marked(client), COUNT);
      const size = (value: number) =>
        client.patch(SHOPS, { namespace: "default", name: "shops-0" }, {
          type: "merge",
          body: { spec: { size: value } },
        });
      await assert.rejects(size(3), /failed calling webhook/);
      const plan = await command(["uninstall", "-f", file], kubeconfig);
      assert.match(plan.output, new RegExp(`^${COUNT / 2} objects wait for a cleanup`));
      assert.match(plan.output, /Nothing was changed: add --yes/);
      assert.equal(await marked(client), COUNT, "the plan has changed objects");
      const done = await command(["uninstall", "-f", file, "--waive", "--yes"], kubeconfig);
      assert.equal(done.code, 0, done.output);
      assert.match(done.output, new RegExp(`Cleanups that did not run \\(${COUNT / 2}\\)`));

      const after = await everything(client);
      for (const [name, object] of before) assert.deepEqual(after.get(name), object, name);
      const installed = manifests.map(({ metadata: { name } }) => name);
      const added = [...after].filter(([name]) => !before.has(name));
      let count = 0;
      for (const [name, object] of added) {
        const text = JSON.stringify(object);
        if (/^(shops|tills)\./.test(name)) {
          count++;
          const { metadata, status } = object as KubeObject;
          assert.deepEqual(metadata, { labels: undefined, annotations, finalizers: ["other.dev/held"] });
          assert.deepEqual(status, name.startsWith("shops") ? { made: true } : undefined);
        } else if (name.startsWith("deployments.")) {
          assert.match(text, /"replicas":0,/);
        } else assert.doesNotMatch(text, /lotse\.dev|shops\.leaving\.test/, name);
        const isInstalled = installed.includes(name.slice(name.indexOf("/") + 1));
        // Addresses of Services, and the children.
        assert.ok(isInstalled || /^(shops|tills|ipaddresses)\.|-stock$/.test(name), `${name} is left`);
      }
      assert.equal(count, COUNT);
      await size(3); // No webhook is in the way.
      const again = await command(["uninstall", "-f", file, "--json"], kubeconfig);
      assert.deepEqual(JSON.parse(again.output), {
        operator: "not ready",
        objects: [],
        things: [],
        problems: [],
      });
      await plane.kubectl(["delete", "--ignore-not-found", "--wait=false", "-f", file]);
      // One that still knows the finalizers would have to let the objects go: nobody has to.
      await assert.rejects(plane.kubectl(["get", "clusterrole", "leaving"]), /not found/);
    },
  );
});
