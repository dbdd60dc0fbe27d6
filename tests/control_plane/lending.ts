/**
 * Control planes that test files use one after another: `tests/run.ts` lends them, and brings each back to how it was before
 * it lends it again.
 *
 * A start costs three seconds of CPU and as long again until the kinds of the tests are served, for each of a hundred files.
 * A file asks over HTTP on the loopback address for the control plane of its job. Where nobody lends (a file that runs by
 * itself), or where the job has one already, the file starts its own.
 */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { findControlPlane } from "./binaries.ts";
import { type ControlPlane, startControlPlane } from "./control_plane.ts";
import { runKubectl } from "./kubectl.ts";
import { textOf } from "./readiness.ts";
import { StoredKeys } from "./stored_keys.ts";

/** The environment variable that tells a job where it can borrow a control plane. */
export const LENDER_VARIABLE = "TEST_CONTROL_PLANE";

/** How long a control plane may take to be as it was, in milliseconds. After that it is ended. */
const PATIENCE = 10_000;

/** How long nothing must be written by a new control plane itself until it counts as ready. In milliseconds. */
const QUIET = 700;

/** What a borrower is told. */
type Terms = Pick<ControlPlane, "server" | "kubeconfig" | "caPem" | "admin" | "adminToken" | "directory">;

/** A control plane, and what it was like before anyone had it. */
interface Lent {
  readonly plane: ControlPlane;
  readonly stored: StoredKeys;
  /** What it served. */
  readonly served: string;
}

/** Lends control planes to jobs. */
export class Lender implements AsyncDisposable {
  readonly #server: Server;
  readonly #prepare: (plane: ControlPlane) => Promise<void>;
  readonly #idle: Lent[] = [];
  readonly #borrowed = new Map<string, Promise<Lent>>();
  readonly #restoring = new Set<Promise<void>>();
  #started = 0;

  private constructor(prepare: (plane: ControlPlane) => Promise<void>) {
    this.#prepare = prepare;
    this.#server = createServer(async (request, response) => {
      try {
        const terms = await this.#lend(request.url ?? "");
        response.writeHead(terms === undefined ? 409 : 200).end(JSON.stringify(terms ?? {}));
      } catch (error) {
        response.writeHead(500).end(String(error));
      }
    });
  }

  /**
   * Begins to lend.
   *
   * @param prepare Makes what all borrowers find in a control plane that has just started.
   */
  static async open(prepare: (plane: ControlPlane) => Promise<void>): Promise<Lender> {
    const lender = new Lender(prepare);
    await new Promise<void>((resolve) => lender.#server.listen(0, "127.0.0.1", resolve));
    return lender;
  }

  /** How many control planes were started. */
  get started(): number {
    return this.#started;
  }

  /** The variable's value for a job. */
  addressFor(job: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${job}`;
  }

  /** To be called when the job has ended, whether or not it has borrowed a control plane. */
  takeBack(job: string): void {
    const borrowed = this.#borrowed.get(`/${job}`);
    if (borrowed === undefined) return;
    this.#borrowed.delete(`/${job}`);
    const restoring = borrowed.then((lent) => this.#restore(lent), () => {}).finally(() =>
      this.#restoring.delete(restoring)
    );
    this.#restoring.add(restoring);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await Promise.all(this.#restoring);
    await Promise.all(this.#idle.splice(0).map(({ plane }) => plane.stop()));
  }

  async #lend(job: string): Promise<Terms | undefined> {
    if (this.#borrowed.has(job)) return undefined;
    const lent = this.#take();
    this.#borrowed.set(job, lent);
    const { plane: { server, kubeconfig, caPem, admin, adminToken, directory } } = await lent;
    return { server, kubeconfig, caPem, admin, adminToken, directory };
  }

  /** Takes an idle control plane, or one that will be idle soon, or starts one. */
  async #take(): Promise<Lent> {
    while (this.#idle.length === 0 && this.#restoring.size > 0) await Promise.race(this.#restoring);
    return this.#idle.pop() ?? await this.#start();
  }

  async #start(): Promise<Lent> {
    this.#started++;
    const plane = await startControlPlane();
    try {
      await this.#prepare(plane);
      // NB: the API server still writes roles and services of its own after it says that it is ready.
      for (let stored = await StoredKeys.of(plane);;) {
        const served = await servedBy(plane);
        await sleep(QUIET);
        const later = await StoredKeys.of(plane);
        if (later.size === stored.size && served === await servedBy(plane)) {
          return { plane, stored: later, served };
        }
        stored = later;
      }
    } catch (error) {
      await plane.stop();
      throw error;
    }
  }

  async #restore(lent: Lent): Promise<void> {
    const end = performance.now() + PATIENCE;
    try {
      while (performance.now() < end) {
        // NB: while a kind is still served, the API server may write it anew.
        if (await lent.stored.restore() === 0 && await servedBy(lent.plane) === lent.served) {
          this.#idle.push(lent);
          return;
        }
        await sleep(50);
      }
    } catch {
      // The control plane is ended below; its successor is a new one.
    }
    await lent.plane.stop();
  }
}

/** What a control plane serves, as a text to compare. */
async function servedBy(plane: Terms & Pick<ControlPlane, "authority">): Promise<string> {
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const text = await textOf(`${plane.server}/apis`, plane, accept);
  const { items } = JSON.parse(text) as { items: readonly object[] };
  return items.map((item) => JSON.stringify(item)).sort().join("\n");
}

/** Borrows the control plane of this process' job. Returns undefined where none is lent. */
export async function borrowControlPlane(): Promise<ControlPlane | undefined> {
  const address = process.env[LENDER_VARIABLE];
  if (address === undefined) return undefined;
  const response = await fetch(address, { method: "POST" });
  const text = await response.text();
  if (response.status === 409) return undefined;
  if (!response.ok) throw new Error(`Cannot borrow a control plane: ${text}`);
  const terms = JSON.parse(text) as Terms;
  const { kubectl } = findControlPlane().binaries ?? {};
  return {
    ...terms,
    authority: { certificate: terms.caPem, issue: () => Promise.reject(cannot("issue certificates")) },
    async kubectl(args, options = {}) {
      if (!kubectl) throw new Error("Cannot run kubectl: it is neither in KUBEBUILDER_ASSETS nor in PATH");
      return await runKubectl(kubectl, args, { ...options, folder: terms });
    },
    stopApiServer: () => Promise.reject(cannot("stop the API server")),
    startApiServer: () => Promise.reject(cannot("start the API server")),
    stop: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function cannot(what: string): Error {
  return new Error(`Cannot ${what} of a control plane that others use after this file: start one of its own`);
}
