import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  authHeaders,
  connectionKey,
  describeInfo,
  equalInfos,
  fixedCredentials,
  toPem,
} from "../../../lib/client/auth/connection_info.ts";

const server = "https://api.test";
const PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";

describe("authHeaders()", () => {
  it("[B269] sends a token as bearer, a scheme as it is, and both together", () => {
    assert.deepEqual(authHeaders({ server, token: "t" }), { authorization: "Bearer t" });
    assert.deepEqual(authHeaders({ server, scheme: "s" }), { authorization: "s" });
    assert.deepEqual(authHeaders({ server, scheme: "s", token: "t" }), { authorization: "s t" });
    assert.deepEqual(authHeaders({ server }), {});
  });

  it("[C31] prefers user and password, if both are there", () => {
    assert.deepEqual(authHeaders({ server, username: "u", password: "p", token: "t" }), {
      authorization: "Basic dTpw",
    });
    assert.deepEqual(authHeaders({ server, username: "u", token: "t" }), { authorization: "Bearer t" });
    assert.deepEqual(authHeaders({ server, username: "u", password: "" }), {});
  });

  it("[C32] sends user and password as UTF-8", () => {
    assert.deepEqual(authHeaders({ server, username: "ué", password: "p" }), {
      authorization: "Basic dcOpOnA=",
    });
  });

  it("impersonates a user, with groups one by one and extras by name", () => {
    const impersonate = { user: "me", uid: "1", groups: ["a", "b"], extra: { "acme.com/Project": ["x"] } };
    assert.deepEqual(authHeaders({ server, token: "t", impersonate }), {
      "authorization": "Bearer t",
      "impersonate-user": "me",
      "impersonate-uid": "1",
      "impersonate-group": ["a", "b"],
      "impersonate-extra-acme.com%2fproject": ["x"],
    });
  });
});

describe("toPem()", () => {
  it("[B271] takes PEM and base64 of PEM, also in lines", () => {
    assert.equal(toPem(PEM), PEM);
    assert.equal(toPem(btoa(PEM)), PEM);
    assert.equal(toPem(btoa(PEM).replace(/(.{20})/g, "$1\n")), PEM);
  });

  it("refuses anything else", () => {
    for (const data of ["", "text", btoa("text"), "ü"]) assert.throws(() => toPem(data), SyntaxError);
  });
});

describe("connectionKey()", () => {
  it("is the same for infos that differ in their headers only", () => {
    const key = connectionKey({ server, token: "a", ca: PEM });
    assert.equal(connectionKey({ server, token: "b", ca: PEM, priority: 3, insecure: false }), key);
    for (
      const change of [{ ca: "x" }, { cert: "x" }, { key: "x" }, { insecure: true }, { serverName: "x" }, {
        proxy: "x",
      }]
    ) {
      assert.notEqual(connectionKey({ server, token: "a", ca: PEM, ...change }), key);
    }
  });
});

describe("equalInfos()", () => {
  it("compares what a server can see", () => {
    const info = { server, token: "a", impersonate: { user: "x" } };
    assert.equal(
      equalInfos(info, { ...info, expiration: 1, priority: 2, refresh: () => Promise.resolve(info) }),
      true,
    );
    for (
      const change of [{ token: "b" }, { scheme: "x" }, { username: "x" }, { password: "x" }, {
        impersonate: { user: "y" },
      }]
    ) {
      assert.equal(equalInfos(info, { ...info, ...change }), false);
    }
  });
});

describe("describeInfo()", () => {
  it("says where and as whom, without secrets", () => {
    assert.equal(describeInfo({ server, token: "secret" }), "https://api.test (with a token)");
    assert.equal(describeInfo({ server, username: "u", password: "secret" }), 'https://api.test (user "u")');
    assert.equal(
      describeInfo({ server, cert: "c", key: "secret" }),
      "https://api.test (with a client certificate)",
    );
    assert.equal(
      describeInfo({ server, token: "secret", impersonate: { user: "x" } }),
      'https://api.test (as "x")',
    );
    assert.equal(describeInfo({ server }), "https://api.test (anonymous)");
  });
});

describe("fixedCredentials()", () => {
  it("gives the same info for ever", async () => {
    const info = { server };
    const credentials = fixedCredentials(info);
    credentials.invalidate(info);
    assert.equal(await credentials.current(), info);
    assert.equal(credentials.peek?.(), info);
  });
});
