/** Services: what their types bring with them, node ports, and what is refused. */

import assert from "node:assert/strict";
import { type Answer, MERGE } from "../session.ts";
import type { Scenario } from "./scenario.ts";

function service(name: string, spec: Answer): Answer {
  return { apiVersion: "v1", kind: "Service", metadata: { name }, spec };
}

export const SERVICES: readonly Scenario[] = [
  {
    name: "gives Services of each type their defaults and node ports, and takes them back",
    accepted: [{
      line: /spec.externalIPs is deprecated/,
      because: "fields that are going away get no warnings",
    }],
    async run(api) {
      await api.namespace("typed-services");
      const path = "/api/v1/namespaces/typed-services/services";
      const made = await api.ok("POST", path, service("a", { type: "NodePort", ports: [{ port: 80 }] }));
      const { nodePort } = made.spec.ports[0];
      assert.ok(nodePort >= 30_000 && nodePort <= 32_767);
      assert.equal(made.spec.externalTrafficPolicy, "Cluster");
      // What the server has given stays, though the client does not say it again.
      const { resourceVersion } = made.metadata;
      const again = service("a", { type: "NodePort", ports: [{ port: 81 }] });
      const put = await api.ok("PUT", `${path}/a`, { ...again, metadata: { name: "a", resourceVersion } });
      assert.equal(put.spec.ports[0].nodePort, nodePort);
      assert.equal(put.spec.clusterIP, made.spec.clusterIP);
      const to = (type: string, more: Answer = {}) =>
        api.ok("PATCH", `${path}/a`, { spec: { type, ...more } }, MERGE);
      const balanced = await to("LoadBalancer");
      assert.equal(balanced.spec.allocateLoadBalancerNodePorts, true);
      const local = await to("LoadBalancer", { externalTrafficPolicy: "Local" });
      assert.ok(local.spec.healthCheckNodePort >= 30_000);
      await api.ok("PATCH", `${path}/a/status`, {
        status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } },
      }, MERGE);
      const inside = await to("ClusterIP");
      assert.deepEqual([inside.spec.ports[0].nodePort, inside.status], [undefined, { loadBalancer: {} }]);
      await to("ExternalName", { externalName: "example.com" });
      await to("ClusterIP", { externalName: null });
      const ports = [{ name: "a", port: 1 }, { name: "b", port: 2, targetPort: "web" }];
      await api.ok("POST", path, service("b", { type: "LoadBalancer", ports, sessionAffinity: "ClientIP" }));
      await api.ok("POST", path, service("c", { externalIPs: ["192.0.2.7"], ports: [{ port: 1 }] }));
      await api.ok("POST", path, service("d", { type: "ExternalName", externalName: "example.com." }));
    },
  },
  {
    name: "takes back the node ports that a load balancer no more wants, and holds it to its class",
    async run(api) {
      await api.namespace("balanced-services");
      const path = "/api/v1/namespaces/balanced-services/services";
      const ports = [{ name: "a", port: 1 }, { name: "b", port: 2 }];
      const loadBalancerClass = "example.com/own";
      const made = await api.ok(
        "POST",
        path,
        service("a", { type: "LoadBalancer", loadBalancerClass, ports }),
      );
      const [, { nodePort }] = made.spec.ports;
      const without = await api.ok("PATCH", `${path}/a`, {
        spec: { allocateLoadBalancerNodePorts: false, ports: [ports[0], { ...ports[1], nodePort }] },
      }, MERGE);
      assert.deepEqual(without.spec.ports.map((port: Answer) => port.nodePort), [undefined, nodePort]);
      for (const other of ["example.com/other", null]) {
        await api.refused(422, "PATCH", `${path}/a`, { spec: { loadBalancerClass: other } }, MERGE);
      }
      await api.refused(422, "POST", path, service("b", { loadBalancerClass, ports }));
      await api.refused(
        422,
        "POST",
        path,
        service("b", { type: "LoadBalancer", loadBalancerClass: "a b", ports }),
      );
      const named = { type: "ExternalName", externalName: "example.com", internalTrafficPolicy: "Cluster" };
      const { spec } = await api.ok("POST", path, service("c", named));
      assert.equal(spec.internalTrafficPolicy, undefined);
    },
  },
  {
    name: "refuses Services whose fields do not go together, and ports that are taken",
    async run(api) {
      await api.namespace("wrong-services");
      const path = "/api/v1/namespaces/wrong-services/services";
      const refuse = (spec: Answer) => api.refused(422, "POST", path, service("x", spec));
      const ports = [{ port: 80 }];
      await api.ok("POST", path, service("a", { type: "NodePort", ports: [{ port: 80, nodePort: 31_999 }] }));
      await refuse({ type: "NodePort", ports: [{ port: 80, nodePort: 31_999 }] });
      await refuse({ type: "NodePort", ports: [{ port: 80, nodePort: 80 }] });
      await refuse({ ports: [{ port: 80, nodePort: 31_998 }] });
      await refuse({ ports: [] });
      await refuse({ type: "NodePort", clusterIP: "None", ports });
      await refuse({ type: "ExternalName" });
      await refuse({ type: "ExternalName", externalName: "a_b" });
      await refuse({ type: "ExternalName", externalName: "example.com", clusterIP: "None" });
      await refuse({ type: "Other", ports });
      await refuse({ sessionAffinity: "Other", ports });
      await refuse({ ports: [{ port: 80 }, { port: 81 }] });
      await refuse({ ports: [{ name: "a", port: 80 }, { name: "a", port: 81 }] });
      await refuse({ ports: [{ name: "a", port: 80 }, { name: "b", port: 80 }] });
      await refuse({ ports: [{ name: "A_", port: 0 }] });
      await refuse({ ports: [{ port: 80, protocol: "ICMP" }] });
      await refuse({ externalTrafficPolicy: "Local", ports });
      await refuse({ type: "NodePort", externalTrafficPolicy: "Other", ports });
      await refuse({ allocateLoadBalancerNodePorts: true, ports });
      await refuse({ healthCheckNodePort: 31_997, ports });
      const { clusterIP } = (await api.ok("GET", `${path}/a`)).spec;
      const { message } = (await api.peek("POST", path, service("x", { clusterIP, ports }))).body;
      assert.match(message, /failed to allocate IP .*: provided IP is already allocated$/);
      await api.refused(422, "PATCH", `${path}/a`, { spec: { type: "ExternalName" } }, MERGE);
    },
  },
];
