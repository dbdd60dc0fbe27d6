/** Scenarios of what devices are claimed by: the kinds of resource.k8s.io. */

import { type Answer, MERGE, TABLE } from "../session.ts";
import type { Scenario } from "./scenario.ts";

const GROUP = "/apis/resource.k8s.io/v1";
const CLAIMS = `${GROUP}/namespaces/default/resourceclaims`;
const TEMPLATES = `${GROUP}/namespaces/default/resourceclaimtemplates`;
const label = { metadata: { labels: { more: "1" } } };
const exactly = { deviceClassName: "gpu.example.com" };

const claim = (name: string, ...requests: Answer[]) => ({
  metadata: { name },
  spec: { devices: { requests } },
});
const slice = (name: string, spec: Answer = {}) => ({
  metadata: { name },
  spec: {
    driver: "gpu.example.com",
    nodeName: "worker",
    pool: { name: "worker", generation: 1, resourceSliceCount: 1 },
    devices: [{
      name: "gpu-0",
      attributes: { model: { string: "a100" }, cores: { int: 8 } },
      capacity: { memory: { value: "40Gi" } },
    }],
    ...spec,
  },
});

const COLUMNS = [{ line: /columnDefinitions.*description/, because: "descriptions of columns are left out" }];

export const DEVICES: readonly Scenario[] = [{
  name: "claims devices",
  accepted: COLUMNS,
  async run(api) {
    await api.ok("POST", `${GROUP}/deviceclasses`, {
      metadata: { name: "gpu.example.com" },
      spec: { selectors: [{ cel: { expression: "device.driver == 'gpu.example.com'" } }] },
    });
    await api.ok("POST", CLAIMS, claim("one", { name: "a", exactly }));
    const alternatives = [{ name: "x", ...exactly, count: 2 }, {
      name: "y",
      ...exactly,
      allocationMode: "All",
    }];
    await api.ok(
      "POST",
      CLAIMS,
      claim("first", {
        name: "a",
        firstAvailable: alternatives,
      }, { name: "b", exactly: { ...exactly, tolerations: [{ key: "k", effect: "NoSchedule" }] } }),
    );
    const { spec } = claim("", { name: "a", exactly });
    await api.ok("POST", TEMPLATES, {
      metadata: { name: "one" },
      spec: { metadata: { labels: { a: "b" } }, spec },
    });
    await api.ok("POST", `${GROUP}/resourceslices`, slice("worker-gpu"));
    await api.ok("PATCH", `${CLAIMS}/one`, label, MERGE);
    await api.ok("PATCH", `${TEMPLATES}/one`, label, MERGE);
    await api.ok("PATCH", `${GROUP}/deviceclasses/gpu.example.com`, { spec: { selectors: [] } }, MERGE);
    await api.ok("PATCH", `${GROUP}/resourceslices/worker-gpu`, { spec: { pool: { generation: 2 } } }, MERGE);
    for (const path of [CLAIMS, TEMPLATES, `${GROUP}/deviceclasses`, `${GROUP}/resourceslices`]) {
      await api.ok("GET", path, undefined, TABLE);
    }
    await api.ok(
      "GET",
      `${GROUP}/resourceslices?fieldSelector=spec.driver%3Dgpu.example.com,spec.nodeName%3Dother`,
    );
    await api.proto("GET", `${CLAIMS}/first`);
    await api.proto("GET", `${GROUP}/resourceslices/worker-gpu`);
    await api.ok("DELETE", `${CLAIMS}/one`);
    await api.ok("DELETE", `${TEMPLATES}/one`);
    await api.ok("DELETE", `${GROUP}/resourceslices/worker-gpu`);
  },
}, {
  name: "allocates devices to claims, in their status",
  accepted: COLUMNS,
  async run(api) {
    await api.ok("POST", CLAIMS, claim("taken", { name: "a", exactly }));
    const results = [{ request: "a", driver: "gpu.example.com", pool: "worker", device: "gpu-0" }];
    const status = { allocation: { devices: { results } } };
    await api.ok("PATCH", `${CLAIMS}/taken/status`, { status }, MERGE);
    await api.ok("GET", CLAIMS, undefined, TABLE);
    await api.ok(
      "PATCH",
      `${CLAIMS}/taken/status`,
      { status: { allocation: null } },
      MERGE,
    );
  },
}, {
  name: "refuses claims of devices and slices that are wrong",
  accepted: [{ line: /field is immutable/, because: "Go prints the whole spec" }],
  async run(api) {
    const refuse = (...requests: Answer[]) => api.refused(422, "POST", CLAIMS, claim("wrong", ...requests));
    await refuse({ name: "a" });
    await refuse({ name: "", exactly });
    await refuse({ name: "A", exactly }, { name: "b", exactly: {} });
    await refuse({ name: "a", exactly }, { name: "a", exactly });
    await refuse({ name: "a", exactly, firstAvailable: [{ name: "x", ...exactly }] });
    await refuse({ name: "a", exactly: { ...exactly, allocationMode: "Some" } });
    await refuse({ name: "a", exactly: { ...exactly, allocationMode: "All", count: 2 } });
    await refuse({ name: "a", exactly: { ...exactly, count: -1 } });
    await refuse({ name: "a", exactly: { ...exactly, selectors: [{}] } });
    await refuse({ name: "a", exactly: { deviceClassName: "A_B" } });
    await refuse({ name: "a", firstAvailable: [{ name: "x" }, { name: "x", ...exactly }] });
    await api.ok("POST", CLAIMS, claim("sealed", { name: "a", exactly }));
    await api.refused(422, "PATCH", `${CLAIMS}/sealed`, { spec: { devices: { requests: [] } } }, MERGE);
    const wrong = (spec: Answer) => api.refused(422, "POST", `${GROUP}/resourceslices`, slice("wrong", spec));
    await wrong({ driver: "" });
    await wrong({ driver: "A_B" });
    await wrong({ nodeName: null });
    await wrong({ allNodes: true });
    await wrong({ pool: { name: "", generation: 1, resourceSliceCount: 0 } });
    await api.ok("POST", `${GROUP}/resourceslices`, slice("sealed"));
    await api.refused(422, "PATCH", `${GROUP}/resourceslices/sealed`, { spec: { driver: "b" } }, MERGE);
  },
}];
