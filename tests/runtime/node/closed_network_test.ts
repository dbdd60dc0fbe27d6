import assert from "node:assert/strict";
import { request } from "node:http";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { closeNetwork } from "../../../lib/runtime/node/closed_network.ts";

describe("closeNetwork()", () => {
  it("refuses sockets, fetch and WebSockets with an error that says so, tells of them without secrets, and opens again", async () => {
    const refused: string[] = [];
    const fetchBefore = fetch;
    {
      using _closed = closeNetwork((call, target) => void refused.push(`${call} ${target}`));
      const message = /nothing outside of the cluster is reached here$/;
      assert.throws(() => connect(1, "a.example"), message);
      assert.throws(() => connect({ host: "b.example", port: 2 }), message);
      await assert.rejects(fetch("https://me:secret@c.example/x?token=secret"), message);
      assert.throws(() => new WebSocket("ws://d.example/"), message);
      const asked = new Promise((resolve, reject) => {
        request("http://e.example/x", resolve).on("error", reject).end();
      });
      await assert.rejects(asked, message);
    }
    assert.deepEqual(refused, [
      "connect a.example:1",
      "connect b.example:2",
      "fetch https://c.example/x",
      "WebSocket ws://d.example/",
      "connect e.example:80",
    ]);
    assert.equal(fetch, fetchBefore);
  });
});
