import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detectIdentity, detectUser } from "../../../lib/engines/peering/peering.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

describe("detectIdentity()", () => {
  it("[B175] takes what the pod is called", () => {
    const host = virtualHost();
    host.process.setEnv("POD_ID", "x");
    assert.equal(detectIdentity(host), "x");
  });

  it("[B176] tells user, host and start, and something that is different each time", () => {
    const host = virtualHost();
    host.process.setEnv("USER", "me");
    const [one, two] = [detectIdentity(host), detectIdentity(host)];
    const start = new Date(host.clock.now()).toISOString().slice(0, 19).replace(/\D/g, "");
    assert.match(one, new RegExp(`^me@virtual/${start}/[a-z0-9]{3}$`));
    assert.notEqual(one, two);
  });
});

describe("detectUser()", () => {
  it("is the same each time, and cuts what says nothing off the host's name", () => {
    const host = virtualHost();
    const process = { ...host.process, hostname: () => "desk.local", user: () => undefined };
    assert.equal(detectUser({ ...host, process }), "unknown@desk");
    assert.equal(detectUser({ ...host, process: { ...process, user: () => "me" } }), "me@desk");
  });
});
