import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  checkCertificateTimes,
  covers,
  placeOfSecret,
  readSecret,
  ROTATE,
  type SecretContent,
  signCertificate,
  toSecret,
} from "../../../lib/handlers/admission/webhook_secret.ts";
import { toBase64 } from "../../../lib/model/encoding.ts";
import type { KubeObject } from "../../../lib/model/object.ts";
import * as reader from "../../../lib/runtime/certificate_facts.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

const { clock, random } = virtualHost();
const PLACE = placeOfSecret({ namespace: "home", name: "zoo" });
const HOSTS = ["zoo-webhook.home.svc", "10.0.0.1", "fd00::1"];

const sign = (hosts = HOSTS) =>
  signCertificate(hosts, {
    now: () => clock.now(),
    randomBytes: (length) => random.bytes(length),
    validity: 3600,
  });

async function contentOf(): Promise<SecretContent> {
  const [present, next] = [await sign(), await sign()];
  return { present, next, bundle: [present.authority, next.authority] };
}

function read(secret: KubeObject, later = 0) {
  return readSecret(secret, { reader, now: clock.now() + later * 1000 });
}

function withData(secret: KubeObject, changed: Readonly<Record<string, string>>): KubeObject {
  return { ...secret, data: { ...secret["data"] as object, ...changed } };
}

describe("readSecret()", () => {
  it("[N27.6] reads what toSecret() has written, and tells the validity and the hosts", async () => {
    const content = await contentOf();
    const reading = read(toSecret(content, PLACE));
    assert.ok(reading.is === "valid");
    const { present, next, bundle } = reading.content;
    assert.deepEqual([present.certificate, present.key], [content.present.certificate, content.present.key]);
    assert.equal(next?.certificate, content.next?.certificate);
    assert.deepEqual(bundle, content.bundle);
    assert.equal(present.notAfter, content.present.notAfter);
    assert.ok(covers(present, HOSTS));
    assert.ok(!covers(present, [...HOSTS, "other.svc"]));
  });

  it("[N27.6] says the fault of a content that cannot be used, without a value of it", async () => {
    const content = await contentOf();
    const other = await sign();
    const secret = toSecret(content, PLACE);
    const faults: [Readonly<Record<string, string>>, RegExp][] = [
      [{ "tls.crt": toBase64("half") }, /^"tls.crt" holds no certificate$/],
      [{ "tls.crt": "%%%" }, /^"tls.crt" holds no certificate$/],
      [{ "tls.key": toBase64(other.key) }, /^"tls.key" does not belong to the certificate in "tls.crt"$/],
      [{ "tls.key": "" }, /^"tls.key" does not belong/],
      [{ "ca.crt": toBase64(other.authority) }, /^no authority in "ca.crt" has signed/],
    ];
    for (const [changed, fault] of faults) {
      const reading = read(withData(secret, changed));
      assert.ok(reading.is === "broken");
      assert.match(reading.fault, fault);
    }
    const expired = read(secret, 3601);
    assert.deepEqual(expired, { is: "broken", fault: "its certificate has expired" });
    const empty = read(withData(secret, { "tls.crt": "", "tls.key": "", "ca.crt": "" }));
    assert.deepEqual(empty, { is: "empty" });
    assert.deepEqual(read({ metadata: { name: "x" } }), { is: "empty" });
  });

  it("passes over a next certificate that cannot be used", async () => {
    const secret = withData(toSecret(await contentOf(), PLACE), { "next.key": "" });
    const reading = read(secret);
    assert.ok(reading.is === "valid");
    assert.equal(reading.content.next, undefined);
  });
});

describe("toSecret()", () => {
  it("keeps labels, annotations and data of strangers, the type, and a wish until there is a next certificate", async () => {
    const content = await contentOf();
    const before = {
      metadata: { name: "x", uid: "1", labels: { a: "b" }, annotations: { c: "d", [ROTATE]: "now" } },
      type: "Opaque",
      data: { "other": "QQ==", "next.crt": "QQ==" },
    };
    const started = toSecret(content, PLACE, before) as KubeObject & { data: Record<string, string> };
    assert.deepEqual(started.metadata.labels, { a: "b", "lotse.dev/replicas": "zoo" });
    assert.deepEqual(started.metadata.annotations, { c: "d" });
    assert.deepEqual([started["type"], started.data["other"], started.metadata.uid], ["Opaque", "QQ==", "1"]);
    const put = toSecret({ ...content, next: undefined }, PLACE, before) as KubeObject & { data: object };
    assert.deepEqual(put.metadata.annotations, { c: "d", [ROTATE]: "now" });
    assert.ok(!("next.crt" in put.data));
    assert.deepEqual([PLACE.namespace, PLACE.name], ["home", "zoo-webhook"]);
  });
});

describe("checkCertificateTimes()", () => {
  it("refuses certificates that expire before the next ones are presented", () => {
    checkCertificateTimes({ certificateValidity: 300, certificateSettle: 60 });
    const late = { certificateValidity: 180, certificateSettle: 60 };
    assert.throws(() => checkCertificateTimes(late), /must be less than a third/);
  });
});
