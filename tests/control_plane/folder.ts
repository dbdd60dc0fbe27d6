/**
 * The temporary folder of one control plane: the certificates and keys that its components read, and the kubeconfig.
 *
 * Only the owner may read it; with it, one is the administrator.
 */

import { Buffer } from "node:buffer";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Authority, createAuthority, type IssuedCertificate } from "../../lib/runtime/certificates.ts";

/** What is in the folder and others need as well. */
export interface Folder {
  readonly directory: string;
  /** The path of the kubeconfig, which {@link writeKubeconfig} writes. */
  readonly kubeconfig: string;
  readonly authority: Authority;
  readonly admin: IssuedCertificate;
  readonly adminToken: string;
}

/** Makes a folder with ca.crt, server.crt, server.key, tokens.csv and service-account.key. */
export async function createFolder(): Promise<Folder> {
  const authority = await createAuthority({ name: "control-plane" });
  const server = await authority.issue({
    commonName: "kube-apiserver",
    server: true,
    dnsNames: ["localhost", "kubernetes.default.svc"],
    ipAddresses: ["127.0.0.1"],
  });
  const admin = await authority.issue({
    commonName: "admin",
    organizations: ["system:masters"],
    client: true,
  });
  const adminToken = randomBytes(16).toString("hex");
  const serviceAccount = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const directory = mkdtempSync(join(tmpdir(), "lotse-"));
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text, { mode: 0o600 });
  write("ca.crt", authority.certificate);
  write("server.crt", server.certificate);
  write("server.key", server.key);
  write("tokens.csv", `${adminToken},admin,admin,system:masters\n`);
  // NB: kube-apiserver reads EC keys in this form only, not in PKCS#8.
  write("service-account.key", serviceAccount.export({ type: "sec1", format: "pem" }).toString());
  return { directory, kubeconfig: join(directory, "kubeconfig"), authority, admin, adminToken };
}

/** Writes the administrator's kubeconfig, with everything inline. */
export function writeKubeconfig(folder: Folder, server: string): void {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const text = `apiVersion: v1
kind: Config
clusters:
- name: control-plane
  cluster:
    server: ${server}
    certificate-authority-data: ${base64(folder.authority.certificate)}
users:
- name: admin
  user:
    client-certificate-data: ${base64(folder.admin.certificate)}
    client-key-data: ${base64(folder.admin.key)}
contexts:
- name: control-plane
  context: { cluster: control-plane, user: admin, namespace: default }
current-context: control-plane
`;
  writeFileSync(folder.kubeconfig, text, { mode: 0o600 });
}
