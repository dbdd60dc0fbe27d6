/**
 * The Database operator from end to end: a process of its own, on a real control plane with its controllers, seen from
 * outside by kubectl, and killed, stopped and started anew.
 *
 * The handlers write a trace; after each chapter it must hold what had to be called, and nothing else.
 */

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "node:test";
import { join } from "node:path";
import { ROOT } from "../cli/processes.ts";
import { type ControlPlane, findControlPlane, startControlPlane } from "../control_plane/control_plane.ts";
import { Operators, until } from "./operator_process.ts";

const { reason, binaries } = findControlPlane();
const isWhole = binaries?.kubectl !== undefined && binaries["kube-controller-manager"] !== undefined;
const skip = reason ?? (isWhole ? false : "KUBEBUILDER_ASSETS lacks kube-controller-manager or kubectl");

const FOLDER = join(ROOT, "examples/02-database");
/** What the operator makes of Databases, and what the controllers make of that. */
const CHILDREN = "persistentvolumeclaims,services,statefulsets,cronjobs,pods";
const OURS = "app.kubernetes.io/managed-by=database-operator";

/** How long nothing must be called for nothing to be coming any more. In milliseconds of real time. */
const QUIET = 1500;

/** A Database whose creation needs three attempts. */
const LEDGER = `
apiVersion: example.com/v1
kind: Database
metadata: { name: ledger, namespace: default, labels: { inspected: "yes" } }
spec: { engine: postgresql, version: "17", storage: 1Gi }
`;

describe("The Database operator", () => {
  it(
    "calls each handler as often as it should, across changes, a crash, and deletions while it is down",
    { skip, timeout: 600_000 },
    async () => {
      await using plane = await startControlPlane({ controllerManager: true });
      await using operators = new Operators(plane);
      const story = new Story(plane, operators);
      await story.createDatabases();
      await story.changeDatabases();
      await story.deleteChildren();
      await story.crashInAnAttempt();
      await story.deleteWhileDown();
      await story.deleteTheRest();
    },
  );
});

class Story {
  readonly #plane: ControlPlane;
  readonly #operators: Operators;

  constructor(plane: ControlPlane, operators: Operators) {
    this.#plane = plane;
    this.#operators = operators;
  }

  /** The kind appears while the operator runs. */
  async createDatabases(): Promise<void> {
    this.#operators.start({ HOLD: "yes" });
    await this.#operators.logged(/Nothing matches the selector yet.* selector=databases/);
    await this.#kubectl("apply", "-f", join(FOLDER, "crd.yaml"));
    await this.#kubectl("wait", "--for=condition=Established", "crd/databases.example.com");
    await this.#kubectl("apply", "-f", join(FOLDER, "databases.yaml"));
    for (const name of ["orders", "sessions", "wiki"]) await this.#reaches(name, "state", "Provisioned");
    await this.#calls([
      "backups orders 0",
      "backups sessions 0",
      "backups wiki 0",
      "provision orders 0",
      "provision sessions 0",
      "provision wiki 0",
    ]);
    assert.equal(await this.#status("orders", "endpoint"), "orders.default.svc:5432");
    assert.equal(await this.#status("sessions", "endpoint"), "sessions.default.svc:3306");
    assert.equal(
      await this.#status("wiki", 'conditions[?(@.type=="Provisioned")].status'),
      "True",
    );
    await this.#kubectl("wait", "--for=condition=Provisioned", "database/orders", "--timeout=10s");
    await this.#isOwned("orders", ["pvc/orders-data", "service/orders", "statefulset/orders"]);
    assert.equal(await this.#names("cronjobs"), "orders-backup wiki-backup");
    const pods = ["orders-0", "sessions-0", "wiki-0"]; // The others wait for these, which no kubelet runs.
    await until(() => pods.every((pod) => this.#operators.pods().has(pod)), () => "Pods were not followed");
  }

  async changeDatabases(): Promise<void> {
    await this.#change("orders", { replicas: 3 });
    await this.#reachesIn("statefulset/orders", "{.spec.replicas}", "3");
    await this.#change("sessions", { storage: "1Gi" });
    await this.#reaches("sessions", "pendingAction", "Resize the volume from 512Mi to 1Gi");
    await this.#change("wiki", { backupEnabled: false });
    await until(async () => await this.#names("cronjobs") === "orders-backup", () => "The CronJob stays");
    await this.#calls(["backups wiki 0", "change orders 0", "change sessions 0", "change wiki 0"]);

    await this.#change("orders", { version: "15.1" });
    await this.#operators.logged(
      /\[Database default\/orders\].*failed permanently.*from version 16\.2 to 15\.1/,
    );
    await this.#calls(["change orders 0"]);
    const image = "{.spec.template.spec.containers[0].image}";
    await this.#reachesIn("statefulset/orders", image, "postgres:16.2");
    await this.#kubectl("annotate", "database", "orders", "seen-by=nobody"); // Annotations are essence, too.
    await this.#calls(["change orders 0"]);
    await this.#kubectl("patch", "database", "orders", "--subresource=status", "--type=merge", "-p", STATUS);
    await this.#calls([]);
  }

  /** What somebody deletes is put back; what is not wanted any more is not. */
  async deleteChildren(): Promise<void> {
    const uid = (name: string): Promise<string> =>
      this.#kubectl("get", name, "--ignore-not-found", "-o", "jsonpath={.metadata.uid}");
    for (const name of ["service/orders", "statefulset/orders", "cronjob/orders-backup"]) {
      const before = await uid(name);
      await this.#kubectl("delete", name);
      await until(async () => ![before, ""].includes(await uid(name)), () => `${name} is not put back`);
    }
    assert.equal(await this.#names("cronjobs"), "orders-backup");
    await this.#calls([]);
  }

  /** `kill -9` in the second of three attempts: the next process goes on with the second one. */
  async crashInAnAttempt(): Promise<void> {
    await this.#kubectlWith(LEDGER, "apply", "-f", "-");
    await this.#operators.called("inspect ledger 1");
    await this.#operators.crash();
    await this.#calls(["backups ledger 0", "inspect ledger 0", "inspect ledger 1", "provision ledger 0"]);
    assert.match(await this.#status("ledger", "lotse.progress.inspect"), /"retries":1/);

    this.#operators.start();
    await this.#operators.called("inspect ledger 2");
    await this.#operators.called("restore wiki 0");
    await this.#calls([
      "inspect ledger 1",
      "inspect ledger 2",
      "restore orders 0",
      "restore sessions 0",
      "restore wiki 0",
    ]);
    await this.#reaches("ledger", "state", "Provisioned");
    assert.equal(await this.#status("ledger", "lotse.progress"), "");
  }

  async deleteWhileDown(): Promise<void> {
    await this.#operators.stop();
    await this.#kubectl("delete", "database", "sessions", "ledger", "--wait=false");
    await this.#change("wiki", { replicas: 2 });
    await sleep(QUIET);
    assert.equal(await this.#names("databases"), "ledger orders sessions wiki");

    this.#operators.start();
    await this.#kubectl("wait", "--for=delete", "database/sessions", "database/ledger", "--timeout=60s");
    await this.#reachesIn("statefulset/wiki", "{.spec.replicas}", "2");
    await this.#calls([
      "change wiki 0",
      "restore orders 0",
      "restore wiki 0",
      "takeSnapshot ledger 0",
      "takeSnapshot sessions 0",
    ]);
  }

  async deleteTheRest(): Promise<void> {
    await this.#kubectl("delete", "-f", join(FOLDER, "databases.yaml"), "--ignore-not-found");
    await this.#calls(["takeSnapshot orders 0", "takeSnapshot wiki 0"]);
    const remains = () => this.#kubectl("get", CHILDREN, "-A", "-l", OURS, "-o", "name");
    let left = "";
    await until(async () => (left = await remains()) === "", () => `Left behind:\n${left}`);
    const snapshots = ["ledger", "orders", "sessions", "wiki"].map((name) => `${name}-final-snapshot`);
    assert.equal(await this.#names("configmaps", "-l", OURS), snapshots.join(" "));
    await this.#operators.stop();
    assert.deepEqual(this.#operators.calls(), []);
  }

  /** Waits until nothing is called any more, and compares the calls since the last time. Their order is free. */
  async #calls(wanted: readonly string[]): Promise<void> {
    await sleep(QUIET);
    assert.deepEqual(this.#operators.calls().sort(), wanted);
  }

  async #change(name: string, spec: object): Promise<void> {
    await this.#kubectl("patch", "database", name, "--type=merge", "-p", JSON.stringify({ spec }));
  }

  async #isOwned(name: string, children: readonly string[]): Promise<void> {
    const uid = await this.#kubectl("get", "database", name, "-o", "jsonpath={.metadata.uid}");
    for (const child of children) {
      await this.#reachesIn(child, "{.metadata.ownerReferences[*].uid}", uid);
    }
  }

  #status(name: string, path: string): Promise<string> {
    return this.#kubectl("get", "database", name, "-o", `jsonpath={.status.${path}}`);
  }

  async #reaches(name: string, path: string, wanted: string): Promise<void> {
    await this.#reachesIn(`database/${name}`, `{.status.${path}}`, wanted);
  }

  async #reachesIn(object: string, path: string, wanted: string): Promise<void> {
    await this.#kubectl("wait", object, `--for=jsonpath=${path}=${wanted}`, "--timeout=60s");
  }

  #names(kind: string, ...options: string[]): Promise<string> {
    return this.#kubectl("get", kind, ...options, "-o", "jsonpath={.items[*].metadata.name}");
  }

  #kubectl(...args: string[]): Promise<string> {
    return this.#plane.kubectl(args);
  }

  #kubectlWith(input: string, ...args: string[]): Promise<string> {
    return this.#plane.kubectl(args, { input });
  }
}

const STATUS = JSON.stringify({ status: { seen: "by somebody" } });
