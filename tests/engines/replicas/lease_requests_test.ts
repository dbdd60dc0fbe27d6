import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fixedCredentials } from "../../../lib/client/auth/connection_info.ts";
import { isConflict, LeaseRequests } from "../../../lib/engines/replicas/lease_requests.ts";
import { silentLogger } from "../../../lib/runtime/logging.ts";
import { type VirtualHost, virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { defaultSettings } from "../../../lib/settings/settings.ts";

const SERVER = "https://api.test";
const LEASE = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "a", namespace: "ns", resourceVersion: "1" },
};

function status(code: number, message = "no"): Response {
  return Response.json({ kind: "Status", status: "Failure", code, message }, { status: code });
}

/** A server that answers as it is told to, with counts of requests, and of connections that are open. */
class Setup implements Disposable {
  readonly host: VirtualHost = virtualHost();
  readonly requests: LeaseRequests;
  readonly seen: string[] = [];
  opened = 0;
  closed = 0;
  answer: () => Response | Promise<Response> = () => Response.json(LEASE);

  constructor() {
    const { network } = this.host;
    network.route(SERVER, (request) => {
      this.seen.push(`${request.method} ${new URL(request.url).pathname}`);
      return this.answer();
    });
    const connect: typeof network.connect = (options) => {
      this.opened += 1;
      const connection = network.connect(options);
      return {
        request: (request) => connection.request(request),
        [Symbol.dispose]: () => {
          this.closed += 1;
          connection[Symbol.dispose]();
        },
      };
    };
    const host = { ...this.host, network: { ...network, connect } };
    const transport = {
      host,
      credentials: fixedCredentials({ server: SERVER }),
      networking: defaultSettings().networking,
      logger: silentLogger(),
    };
    this.requests = new LeaseRequests({ transport, namespace: "ns", operator: "op", timeout: 3 });
  }

  [Symbol.dispose](): void {
    this.requests[Symbol.dispose]();
  }
}

describe("LeaseRequests", () => {
  it("sends each request once, whatever comes of it", async () => {
    using setup = new Setup();
    for (const code of [500, 503, 429]) {
      setup.answer = () => status(code);
      await assert.rejects(setup.requests.write(LEASE), { status: code });
    }
    assert.deepEqual(setup.seen, Array(3).fill("PUT /apis/coordination.k8s.io/v1/namespaces/ns/leases/a"));
  });

  it("gives up when its time is over, and takes a fresh connection then", async () => {
    using setup = new Setup();
    await setup.requests.get("a");
    assert.equal(setup.opened, 1);
    setup.answer = () => setup.host.clock.sleep(60).then(() => Response.json(LEASE));
    let error: unknown;
    const late = setup.requests.get("a").catch((reason) => void (error = reason));
    await setup.host.clock.advance(2.9);
    assert.equal(error, undefined);
    await setup.host.clock.advance(0.2);
    await late;
    assert.match(String(error), /did not answer within 3 seconds/);
    setup.answer = () => Response.json(LEASE);
    await setup.requests.get("a");
    assert.equal(setup.opened, 2);
    // The old one is closed when nothing can be under way on it.
    assert.equal(setup.closed, 0);
    await setup.host.clock.advance(3.1);
    assert.equal(setup.closed, 1);
  });

  it("keeps its connection over refusals that say something about the Lease", async () => {
    using setup = new Setup();
    for (const code of [404, 409, 403, 422]) {
      setup.answer = () => status(code);
      await setup.requests.write(LEASE).catch(() => {});
    }
    setup.answer = () => status(500, "resourceVersion should not be set on objects to be created");
    await assert.rejects(setup.requests.write(LEASE), isConflict);
    setup.answer = () => status(404);
    assert.equal(await setup.requests.get("a"), undefined);
    assert.equal(setup.opened, 1);
  });

  it("closes everything when it is disposed of", async () => {
    const setup = new Setup();
    await setup.requests.get("a");
    setup.answer = () => status(500);
    await setup.requests.get("a").catch(() => {});
    setup.answer = () => Response.json(LEASE);
    await setup.requests.get("a");
    setup[Symbol.dispose]();
    assert.equal(setup.closed, 2);
    assert.equal(setup.host.clock.pending, 0);
  });
});

describe("isConflict()", () => {
  it("does not take a namespace that is missing, or a server that fails, for a Lease that has gone", async () => {
    using setup = new Setup();
    const details = { kind: "namespaces", name: "ns" };
    const missing = { kind: "Status", status: "Failure", code: 404, message: "no", details };
    setup.answer = () => Response.json(missing, { status: 404 });
    await assert.rejects(setup.requests.write(LEASE), (error) => !isConflict(error));
    setup.answer = () => status(500);
    await assert.rejects(setup.requests.write(LEASE), (error) => !isConflict(error));
    assert.ok(!isConflict(new Error("no")));
  });
});
