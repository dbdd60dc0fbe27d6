import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  checkPem,
  readMaterial,
  readNeighbour,
  textField,
} from "../../../lib/client/auth/kubeconfig_fields.ts";
import { PEM, sourceOf } from "../kubeconfigs.ts";

describe("textField()", () => {
  it("gives texts that are there; numbers count, empty ones and strangers' keys do not", () => {
    const content = JSON.parse('{"a":"x","b":"","c":123,"d":null,"e":{},"__proto__":"own"}');
    assert.deepEqual(
      ["a", "b", "c", "d", "e", "__proto__", "constructor"].map((name) => textField(content, name)),
      [
        "x",
        undefined,
        "123",
        undefined,
        undefined,
        "own",
        undefined,
      ],
    );
  });
});

describe("readMaterial()", () => {
  it("prefers data to files, and takes PEM and base64 of PEM from both", async () => {
    const source = sourceOf({ "/kube/a.crt": PEM, "/kube/b.crt": btoa(PEM) });
    const read = (content: Record<string, string>): Promise<string | undefined> =>
      readMaterial(source, content, "cert");
    assert.equal(await read({ "cert-data": btoa(PEM), "cert": "/none" }), PEM);
    assert.equal(await read({ "cert-data": PEM }), PEM);
    assert.equal(await read({ cert: "a.crt" }), PEM);
    assert.equal(await read({ cert: "/kube/b.crt" }), PEM);
    assert.equal(await read({}), undefined);
  });

  it("names the file, the user and the kubeconfig when a certificate's file is missing", async () => {
    await assert.rejects(
      readMaterial(sourceOf(), { "client-certificate": "pki/me.crt" }, "client-certificate"),
      {
        name: "LoginError",
        message:
          /^Cannot read file "\/kube\/pki\/me\.crt", the client-certificate of user "u" in kubeconfig "\/kube\/config": /,
      },
    );
  });

  it("refuses a file that holds something else, without showing it", async () => {
    const source = sourceOf({ "/kube/me.key": "a secret that is no key" });
    const error = await readMaterial(source, { "client-key": "me.key" }, "client-key").catch((error) =>
      error
    );
    assert.match(
      error.message,
      /the client-key \(file "\/kube\/me\.key"\) of user "u" .*neither PEM nor base64 of PEM/,
    );
    assert.doesNotMatch(error.message, /secret/);
  });
});

describe("readNeighbour()", () => {
  it("starts at the kubeconfig's folder", async () => {
    const source = sourceOf({ "/kube/token": "t" });
    assert.deepEqual(await readNeighbour(source, "token", "tokenFile"), { file: "/kube/token", text: "t" });
  });
});

describe("checkPem()", () => {
  it("says which field is no PEM", () => {
    assert.throws(() => checkPem(sourceOf(), "???", "ca-data"), {
      name: "LoginError",
      message: /the ca-data of user "u"/,
    });
  });
});
