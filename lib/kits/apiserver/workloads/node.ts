/**
 * The nodes of a cluster that has workloads: objects that say of themselves that they are well.
 */

import { PLACES, type World } from "./world.ts";

/** Where all nodes are. */
export const NODE_IP = "10.0.0.1";
const CAPACITY = { cpu: "8", "ephemeral-storage": "100Gi", memory: "16Gi", pods: "110" };

/** Makes a node, ready for Pods, unless it is there. */
export async function ensureNode(world: World, name: string): Promise<undefined> {
  if (world.get(PLACES.nodes, { name }) !== undefined) return undefined;
  const heartbeat = { lastHeartbeatTime: world.now, lastTransitionTime: world.now };
  const condition = (type: string, status: string, reason: string, message: string) => (
    { type, status, reason, message, ...heartbeat }
  );
  const labels = {
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
  };
  const node = await world.create(PLACES.nodes, {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels },
    spec: {},
  }, { as: "kubelet" });
  await world.report(PLACES.nodes, node, {
    as: "kubelet",
    status: {
      addresses: [{ type: "InternalIP", address: NODE_IP }, { type: "Hostname", address: name }],
      allocatable: CAPACITY,
      capacity: CAPACITY,
      conditions: [
        condition(
          "MemoryPressure",
          "False",
          "KubeletHasSufficientMemory",
          "kubelet has sufficient memory available",
        ),
        condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
      ],
      nodeInfo: {
        architecture: "amd64",
        bootID: "",
        containerRuntimeVersion: "lotse://1",
        kernelVersion: "6.0.0",
        kubeProxyVersion: "",
        kubeletVersion: "v1.36.3+lotse",
        machineID: name,
        operatingSystem: "linux",
        osImage: "Lotse",
        systemUUID: name,
      },
    },
  });
  return undefined;
}
