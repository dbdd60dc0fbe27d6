/**
 * Clients of all sorts, with the same expectations on our server and on a real kube-apiserver: what they must see of any
 * Kubernetes. kubectl is compared word by word elsewhere (tests/conformance/apiserver/kubectl_test.ts).
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { writeStandIns } from "../../lib/cli/stand_in.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import type { Host } from "../../lib/runtime/host.ts";
import { kinds, resource } from "../../mod.ts";
import { Program } from "../cli/processes.ts";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { findKopf } from "../oracle/kopf.ts";
import { type ClientName, findClient } from "./binaries.ts";
import { openOurs, openReal, type ServerPlace } from "./servers.ts";

const TIMEOUT = 280_000;
const go = findClient("go");
const rust = findClient("rust");
const kopf = findKopf();

const PLACES = [
  ["in the process", openOurs, undefined],
  ["on a real control plane", openReal, findControlPlane().reason],
] as const;

for (const [place, open, missing] of PLACES) {
  describe(`clients of a server ${place}`, () => {
    let opened: Promise<ServerPlace> | undefined;
    const server = (): Promise<ServerPlace> => opened ??= open();
    after(async () => {
      if (opened !== undefined) await (await opened)[Symbol.asyncDispose]();
    });

    it("client-go and controller-runtime see what they must", {
      timeout: TIMEOUT,
      skip: missing ?? go.reason ?? false,
    }, async () => {
      assert.ok(await checksOf("go", { KUBECONFIG: (await server()).kubeconfig }) >= 18);
    });

    it("kube-rs sees what it must", { timeout: TIMEOUT, skip: missing ?? rust.reason ?? false }, async () => {
      assert.ok(await checksOf("rust", { KUBECONFIG: (await server()).kubeconfig }) >= 5);
    });

    it("an operator on Kopf lives", { timeout: TIMEOUT, skip: missing ?? kopf.reason ?? false }, async () => {
      await liveWithKopf(await server());
    });
  });
}

describe("clients that start a server by envtest", () => {
  it("client-go and controller-runtime see what they must on the stand-ins", {
    timeout: TIMEOUT,
    skip: go.reason ?? false,
  }, async () => {
    const assets = mkdtempSync(join(tmpdir(), "lotse-assets-"));
    try {
      await writeStandIns(assets, { ...currentHost(), process: programOf(currentHost()) });
      assert.ok(await checksOf("go", { KUBEBUILDER_ASSETS: assets, KUBECONFIG: "" }) >= 18);
    } finally {
      rmSync(assets, { recursive: true });
    }
  });
});

/** The process as it were if it was the command line. */
function programOf({ process: own }: Host): Host["process"] {
  const cli = fileURLToPath(new URL("../../cli.ts", import.meta.url));
  return { ...own, self: [process.execPath, ...("Deno" in globalThis ? ["run", "-A"] : []), cli] };
}

/** Runs a program, and returns how many checks have passed. @throws {AssertionError} If one has not. */
async function checksOf(name: ClientName, env: Readonly<Record<string, string>>): Promise<number> {
  const { path = "" } = findClient(name);
  const { output, errors, code } = await run(path, env);
  const lines = output.trim().split("\n");
  const bad = lines.filter((line) => !line.startsWith("ok "));
  assert.deepEqual(bad, [], errors.slice(-3000));
  assert.equal(code, 0, errors.slice(-3000));
  return lines.length;
}

function run(
  command: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly output: string; readonly errors: string; readonly code: number | null }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [], { env: { ...process.env, ...env } });
    let output = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => output += text);
    child.stderr.setEncoding("utf8").on("data", (text: string) => errors += text);
    child.once("error", reject);
    child.once("close", (code) => resolve({ output, errors, code }));
  });
}

const KETTLES = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: kettles.clients.example.com }
spec:
  group: clients.example.com
  scope: Namespaced
  names: { plural: kettles, singular: kettle, kind: Kettle }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: { type: object, properties: { litres: { type: integer }, color: { type: string } } }
            status: { type: object, x-kubernetes-preserve-unknown-fields: true }
`;
const OPERATOR = fileURLToPath(new URL("kopf/operator.py", import.meta.url));

interface KettleSpec {
  litres: number;
  color?: string;
}

interface KettleStatus {
  fill?: { litres: number };
  alike?: string[];
  litres?: string;
  ticks?: number;
}

const Kettle = resource<KettleSpec, KettleStatus>({
  group: "clients.example.com",
  version: "v1",
  plural: "kettles",
  kind: "Kettle",
});

async function liveWithKopf({ kubeconfig, api, apply }: ServerPlace): Promise<void> {
  await apply(KETTLES);
  const early = { name: "early", namespace: "default" };
  await api.create(Kettle, { metadata: early, spec: { litres: 1, color: "red" } });
  const args = ["-m", "kopf", "run", "--standalone", "--verbose", "--namespace", "default", OPERATOR];
  await using program = new Program(kopf.python ?? "", args, { env: { KUBECONFIG: kubeconfig } });
  await program.wrote(/Starting the watch-stream for kettles/);
  const address = { name: "kettle", namespace: "default" };
  await api.create(Kettle, { metadata: address, spec: { litres: 2, color: "red" } });
  const statusOf = async () => (await api.get(Kettle, address)).status;
  const seen = () => program.output.slice(-3000);
  await until(async () => (await statusOf())?.fill?.litres === 2, seen);
  await until(async () => (await statusOf())?.ticks === 3, seen);
  const status = await statusOf();
  assert.deepEqual(status?.alike, ["early", "kettle"]);
  await api.patch(Kettle, address, { spec: { litres: 3 } });
  await until(async () => (await statusOf())?.litres === "2 to 3", seen);
  await until(async () => {
    const events = await Array.fromAsync(api.list(kinds.Event, { namespace: "default" }));
    const about = events.filter((event) => Object(event["involvedObject"]).name === "kettle");
    const reasons = about.map((event) => event["reason"]);
    return reasons.includes("Labelled") && reasons.includes("Heated");
  }, seen);
  await api.delete(Kettle, address);
  await until(
    async () => await api.get(Kettle, address).then(() => false, ({ status }) => status === 404),
    seen,
  );
  assert.equal(await program.stop(), 0);
  assert.doesNotMatch(program.output, /Traceback/);
}

/** Waits for real time: the program is another process. */
async function until(holds: () => Promise<boolean>, seen: () => string): Promise<void> {
  const end = performance.now() + 30_000;
  while (!await holds()) {
    assert.ok(performance.now() < end, seen());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
