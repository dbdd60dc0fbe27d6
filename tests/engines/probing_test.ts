import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Check, parseProbeAddress, probingApp, type ProbingOptions } from "../../lib/engines/probing.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

/** Something that answers probes, and what it got to know. */
class Stage {
  readonly host = virtualHost();
  checks: Check[] = [];
  vitals: Check[] = [];
  asked = 0;
  probe: () => Promise<ReadonlyMap<string, unknown>> = () => Promise.resolve(new Map([["now", { at: 1 }]]));
  readonly #app: (request: Request) => Response | Promise<Response>;

  constructor(
    path = "/healthz",
    routes: ProbingOptions["routes"] = [],
    { hostname = "localhost", reasons = false } = {},
  ) {
    this.#app = probingApp({
      clock: this.host.clock,
      address: { hostname, port: 80, path },
      vitals: () => Promise.resolve(this.vitals),
      tellsReasons: () => reasons,
      checks: () => this.checks,
      routes,
      probe: () => {
        this.asked++;
        return this.probe();
      },
    });
  }

  async ask(path: string, method = "GET"): Promise<[status: number, text: string]> {
    const response = await this.#app(new Request(`http://localhost${path}`, { method }));
    return [response.status, await response.text()];
  }
}

describe("parseProbeAddress()", () => {
  it("takes host, port and path, each of which may be missing", () => {
    const cases: [string, [string, number, string]][] = [
      ["http://0.0.0.0:8080/healthz", ["0.0.0.0", 8080, "/healthz"]],
      ["http://:8080/h", ["localhost", 8080, "/h"]],
      ["http://[::]:8080/h", ["::", 8080, "/h"]],
      ["http://example/a/b", ["example", 80, "/a/b"]],
      ["http://example:81", ["example", 81, "/"]],
      ["http:///h", ["localhost", 80, "/h"]],
    ];
    for (const [text, [hostname, port, path]] of cases) {
      assert.deepEqual(parseProbeAddress(text), { hostname, port, path }, text);
    }
  });

  it("refuses everything else, and says what it must be", () => {
    const bad = [
      "https://a:1/h",
      "tcp://a:1",
      "a:1",
      "",
      "http://a:99999/h",
      "http://u:p@a/h",
      "http://a/h?x",
      "8080",
    ];
    for (const text of bad) assert.throws(() => parseProbeAddress(text), /Cannot answer probes at/, text);
  });
});

describe("probingApp()", () => {
  it("[B290] gives the results as JSON on its path, 404 elsewhere, and 405 for other methods", async () => {
    const stage = new Stage("/h");
    assert.deepEqual(await stage.ask("/h"), [200, '{"now":{"at":1}}']);
    assert.deepEqual(await stage.ask("/h", "HEAD"), [200, ""]);
    assert.equal((await stage.ask("/x"))[0], 404);
    assert.equal((await stage.ask("/h", "POST"))[0], 405);
    assert.equal((await stage.ask("/readyz", "DELETE"))[0], 405);
  });

  it("[B292] [A268] asks the probes once in ten seconds, for all callers together", async () => {
    const stage = new Stage();
    await Promise.all([stage.ask("/healthz"), stage.ask("/healthz")]);
    await stage.host.clock.advance(9);
    await stage.ask("/healthz");
    assert.equal(stage.asked, 1);
    await stage.host.clock.advance(1);
    await stage.ask("/healthz");
    assert.equal(stage.asked, 2);
  });

  it("answers 500 where a probe fails, with the reason, and asks again the next time", async () => {
    const stage = new Stage();
    stage.probe = () => Promise.reject(new Error("the database is away"));
    const text = (reason: string): string => `[-]probes failed: ${reason}\nhealthz check failed\n`;
    assert.deepEqual(await stage.ask("/healthz"), [500, text("reason withheld")]);
    assert.deepEqual(await stage.ask("/healthz?verbose"), [500, text("the database is away")]);
    stage.probe = () => Promise.resolve(new Map());
    assert.deepEqual(await stage.ask("/healthz"), [200, "{}"]);
  });

  it("lists the checks of readiness where one fails, or where all are asked for", async () => {
    const stage = new Stage();
    stage.checks = [{ name: "started", problem: undefined }];
    assert.deepEqual(await stage.ask("/readyz"), [200, "ok"]);
    assert.deepEqual(await stage.ask("/readyz?verbose"), [200, "[+]started ok\nreadyz check passed\n"]);
    stage.checks.push({ name: "watch pods", problem: "no stream" });
    const text = (reason: string): string =>
      `[+]started ok\n[-]watch pods failed: ${reason}\nreadyz check failed\n`;
    assert.deepEqual(await stage.ask("/readyz"), [503, text("reason withheld")]);
    assert.deepEqual(await stage.ask("/readyz?verbose"), [503, text("no stream")]);
    assert.deepEqual(await stage.ask("/livez"), [200, "ok"], "it lives all the same");
    assert.deepEqual(await stage.ask("/livez?verbose"), [200, "[+]ping ok\nlivez check passed\n"]);
    assert.deepEqual(await stage.ask("/healthz?verbose"), [200, "[+]now ok\nhealthz check passed\n"]);
  });

  it("says that it does not live where a vital check fails", async () => {
    const stage = new Stage();
    stage.vitals = [{ name: "listener", problem: "deaf" }];
    assert.deepEqual(await stage.ask("/livez?verbose"), [
      503,
      "[+]ping ok\n[-]listener failed: deaf\nlivez check failed\n",
    ]);
    assert.equal((await stage.ask("/readyz"))[0], 200);
  });

  it("[N13.2] says why only to this machine, unless it is allowed, and never with a password", async () => {
    const problem = "cannot reach http://me:secret@proxy.test:3128";
    const tell = async (hostname: string, reasons: boolean): Promise<string> => {
      const stage = new Stage("/h", [], { hostname, reasons });
      stage.checks = [{ name: "watch", problem }, {
        name: "peering",
        problem: undefined,
        note: "paused for a",
      }];
      return (await stage.ask("/readyz?verbose"))[1].replace(/\n/g, "|");
    };
    const open = "[-]watch failed: cannot reach http://me:***@proxy.test:3128|[+]peering ok: paused for a|";
    const closed = "[-]watch failed: reason withheld|[+]peering ok|";
    for (const hostname of ["localhost", "127.0.0.1", "127.8.8.8", "::1"]) {
      assert.equal(await tell(hostname, false), `${open}readyz check failed|`, hostname);
    }
    for (const hostname of ["0.0.0.0", "::", "10.0.0.1", "pod.test"]) {
      assert.equal(await tell(hostname, false), `${closed}readyz check failed|`, hostname);
      assert.equal(await tell(hostname, true), `${open}readyz check failed|`, hostname);
    }
  });

  it("answers other routes that it was given", async () => {
    const stage = new Stage("/healthz", [{ path: "/metrics", handle: () => new Response("up 1\n") }]);
    assert.deepEqual(await stage.ask("/metrics"), [200, "up 1\n"]);
    assert.equal((await stage.ask("/metrics", "PUT"))[0], 405);
  });
});
