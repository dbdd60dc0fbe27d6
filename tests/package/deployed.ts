/** An operator's executable in a cluster without nodes: it runs here, as the Deployment says, as its service account. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ControlPlane } from "../control_plane/control_plane.ts";

/** Returns the arguments with which the executable is to run. @param folder Where the account's kubeconfig is written. */
export async function deployedArguments(
  plane: ControlPlane,
  { name, folder }: { readonly name: string; readonly folder: string },
): Promise<string[]> {
  const kubectl = (...args: readonly string[]): Promise<string> => plane.kubectl(["-n", name, ...args]);
  const deployment = JSON.parse(await kubectl("get", "deployment", name, "-o", "json"));
  const { serviceAccountName, containers: [{ args }] } = deployment.spec.template.spec;
  const token = await kubectl("create", "token", serviceAccountName);
  const cluster = { server: plane.server, "certificate-authority-data": btoa(plane.caPem) };
  const kubeconfig = join(folder, "account.json");
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: "a", cluster }],
      users: [{ name: "a", user: { token: token.trim() } }],
      contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
      "current-context": "a",
    }),
  );
  const given: string[] = args.map((arg: string) => arg.replace("0.0.0.0:8080", "127.0.0.1:0"));
  return [...given, "--kubeconfig", kubeconfig];
}
