/** Webhooks that several replicas answer: no forbidden object gets in, whatever happens to replicas, Secret and configurations. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AdmissionError } from "../../mod.ts";
import { createAuthority } from "../../lib/runtime/certificates.ts";
import { SECRETS, VALIDATING_WEBHOOK_CONFIGURATIONS } from "../../lib/model/kinds.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import type { Operator } from "../../lib/operator/operator.ts";
import { MANAGED, SERVICE, type Tally, WebhookFleet } from "../support/webhook_fleet.ts";
import { sized } from "../support/size.ts";
import { Example, type Loose } from "../support/worlds.ts";

const SECRET = { namespace: "default", name: SERVICE };

function checkSize(op: Operator): void {
  op.on.validate(Example, { operations: ["CREATE"] }, function checkSize({ spec }) {
    if (Number(spec.size) > 10) throw new AdmissionError("Too large", { code: 422 });
  });
}

function tally(): Tally {
  return { denied: 0, refused: 0, admitted: 0, reasons: [] };
}

async function webhooksOf({ client }: WebhookFleet): Promise<Loose[]> {
  const address = { name: MANAGED };
  const found = await client.get<{ metadata: object; webhooks?: Loose[] }>(
    VALIDATING_WEBHOOK_CONFIGURATIONS,
    address,
  )
    .catch(() => undefined);
  return found?.webhooks ?? [];
}

async function names(fleet: WebhookFleet): Promise<string[]> {
  return (await webhooksOf(fleet)).map(({ name }) => String(name).replace(`.${MANAGED}`, ""));
}

/** A fleet whose replicas are ready, and asked. */
async function fleetOf(
  count: number,
  options: Partial<Parameters<WebhookFleet["add"]>[0]> = {},
): Promise<WebhookFleet> {
  const fleet = await WebhookFleet.open();
  for (let number = 0; number < count; number++) fleet.add({ declare: checkSize, ...options });
  await fleet.until(() => fleet.pods.every(({ isReady }) => isReady));
  await fleet.until(async () => (await names(fleet)).length === 1);
  return fleet;
}

describe("webhooks of replicas", () => {
  it(
    "[N27.2] share one certificate in a Secret, and all of them are asked",
    { timeout: 60_000 },
    async () => {
      const fleet = await fleetOf(3);
      const seen = tally();
      await fleet.load(seen, 3);
      assert.deepEqual([seen.admitted, seen.refused], [0, 0], seen.reasons.join("\n"));
      assert.equal(new Set(fleet.pods.map(({ certificate }) => certificate)).size, 1);
      await fleet.close();
      assert.deepEqual(await names(fleet), ["check-size"], "without a replica nothing passes either");
      const later = tally();
      await fleet.ask(later);
      assert.deepEqual([later.admitted, later.refused], [0, 1]);
    },
  );

  it("[N27.3] are answered without a gap while replicas are replaced one after the other", {
    timeout: 60_000,
  }, async () => {
    const fleet = await fleetOf(3);
    const seen = tally();
    for (const old of [...fleet.pods]) {
      const next = fleet.add({ declare: checkSize });
      for (let round = 0; !next.isReady && round < 60; round++) await fleet.load(seen, 1);
      assert.ok(next.isReady, fleet.story());
      old.stop();
      await fleet.load(seen, 2);
    }
    await fleet.until(() => fleet.pods.filter(({ isRunning }) => isRunning).length === 3);
    assert.deepEqual([seen.admitted, seen.refused], [0, 0], seen.reasons.join("\n"));
    assert.ok(seen.denied > 20);
    await fleet.close();
  });

  it("[N27.4] let nothing in when replicas are killed, the writer of the configurations among them", {
    timeout: 60_000,
  }, async () => {
    const fleet = await fleetOf(3);
    const seen = tally();
    for (let round = 0; round < sized({ short: 2, full: 20 }); round++) {
      fleet.pods.find(({ isRunning, isReady }) => isRunning && isReady)?.kill();
      await fleet.load(seen, 5);
      fleet.add({ declare: checkSize });
      await fleet.load(seen, 20);
    }
    assert.deepEqual([seen.admitted, seen.refused], [0, 0], seen.reasons.join("\n"));
    // The one that is left writes now.
    await fleet.client.delete(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: MANAGED });
    await fleet.until(async () => (await names(fleet)).length === 1, 5);
    await fleet.close();
  });

  it("[N27.5] are trusted at all times while their certificate is replaced again and again", {
    timeout: 60_000,
  }, async () => {
    const admission = { certificateValidity: 60, certificateSettle: 3 };
    const fleet = await fleetOf(3, { admission });
    const seen = tally();
    const certificates = new Set<unknown>();
    for (let round = 0; round < sized({ short: 5, full: 40 }); round++) {
      await fleet.load(seen, 24);
      for (const { certificate } of fleet.pods) certificates.add(certificate);
    }
    assert.deepEqual([seen.admitted, seen.refused], [0, 0], seen.reasons.join("\n"));
    assert.ok(certificates.size >= 3, `${certificates.size} certificates`);
    const secret = await fleet.client.get<KubeObject & { data: Record<string, string> }>(SECRETS, SECRET);
    const bundle = atob(secret.data["ca.crt"] ?? "");
    assert.ok(bundle.split("BEGIN CERTIFICATE").length <= 5, "authorities leave with their certificates");
    await fleet.close();
  });

  it(
    "[N27.6] keep their certificate when the Secret is deleted, emptied or replaced",
    { timeout: 60_000 },
    async () => {
      const fleet = await fleetOf(2);
      const { data } = await fleet.client.get<KubeObject & { data: Record<string, string> }>(SECRETS, SECRET);
      const before = data["tls.crt"];
      const current = async (): Promise<boolean> => {
        const found = await fleet.client.get<KubeObject & { data: Record<string, string> }>(SECRETS, SECRET)
          .catch(() => undefined);
        return found?.data["tls.crt"] === before && found?.data["tls.key"] === data["tls.key"] &&
          found?.data["ca.crt"] === data["ca.crt"];
      };
      const seen = tally();
      const other = await WebhookFleet.open({ seed: 7 });
      other.add({ declare: checkSize });
      await other.until(() => other.pods.every(({ isReady }) => isReady));
      const foreign = await other.client.get<KubeObject & { data: Record<string, string> }>(SECRETS, SECRET);
      await other.close();
      const patch = (changed: Record<string, string>): Promise<unknown> =>
        fleet.client.patch(SECRETS, SECRET, { type: "merge", body: { data: changed } });
      const now = (): number => fleet.host.clock.now() - 10 * 86_400_000;
      const authority = await createAuthority({ name: "old", now });
      const { certificate, key } = await authority.issue({
        commonName: "old",
        dnsNames: ["*.svc"],
        days: 1,
        server: true,
      });
      const expired = {
        "tls.crt": btoa(certificate),
        "tls.key": btoa(key),
        "ca.crt": btoa(authority.certificate),
      };
      const faults: (() => Promise<unknown>)[] = [
        () => fleet.client.delete(SECRETS, SECRET),
        () => patch({ "tls.crt": "", "tls.key": "", "ca.crt": "" }),
        () => patch({ "tls.key": btoa("half of a k") }),
        () => patch({ "ca.crt": btoa("nonsense") }),
        () => patch(foreign.data),
        () => patch(expired),
      ];
      for (const fault of faults) {
        await fault();
        await fleet.until(current, 5);
        await fleet.load(seen, 1);
      }
      assert.deepEqual([seen.admitted, seen.refused], [0, 0], seen.reasons.join("\n"));
      const told = fleet.pods.flatMap(({ logs }) => logs).filter(({ message }) =>
        message.startsWith("The Secret with the")
      )
        .map(({ fields }) => fields.fault);
      assert.equal(told.length, faults.length, JSON.stringify(told));
      await fleet.close();
    },
  );

  it("[N27.7] stay trusted when authorities are taken out of the configuration, which is put right at once", {
    timeout: 60_000,
  }, async () => {
    const fleet = await fleetOf(2);
    const seen = tally();
    for (let round = 0; round < 3; round++) {
      const [webhook] = await webhooksOf(fleet);
      const { caBundle: _, ...clientConfig } = webhook?.clientConfig as Loose;
      const body = { webhooks: [{ ...webhook, clientConfig }] };
      await fleet.client.patch(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: MANAGED }, { type: "merge", body });
      await fleet.load(seen, 1);
      const [after] = await webhooksOf(fleet);
      assert.equal(typeof (after?.clientConfig as Loose).caBundle, "string");
    }
    assert.equal(seen.admitted, 0);
    assert.ok(seen.denied > 8);
    assert.ok(fleet.pods.every(({ isReady }) => isReady), "no replica could do better than another");
    await fleet.close();
  });

  it("[N27.8] stand again at once in a configuration that is deleted, unless it came with manifests", {
    timeout: 60_000,
  }, async () => {
    const fleet = await fleetOf(2);
    await fleet.client.delete(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: MANAGED });
    await fleet.advance(1);
    assert.deepEqual(await names(fleet), ["check-size"]);
    const manifest = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: MANAGED },
    };
    await fleet.client.delete(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: MANAGED });
    await fleet.client.create(VALIDATING_WEBHOOK_CONFIGURATIONS, manifest).catch(() => {});
    await fleet.close();
    await fleet.client.delete(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: MANAGED }).catch(() => {});
    await fleet.client.create(VALIDATING_WEBHOOK_CONFIGURATIONS, manifest);
    fleet.add({ declare: checkSize });
    await fleet.until(async () => (await names(fleet)).length === 1);
    await fleet.client.delete(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: MANAGED });
    await fleet.advance(60);
    await assert.rejects(fleet.client.get(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: MANAGED }), {
      status: 404,
    });
    await fleet.client.create(VALIDATING_WEBHOOK_CONFIGURATIONS, manifest);
    await fleet.until(async () => (await names(fleet)).length === 1, 3);
    await fleet.close();
  });

  it(
    "[N27.9] come with a release that has them, once all replicas serve them, and go with one that has not",
    { timeout: 60_000 },
    async () => {
      const fleet = await WebhookFleet.open();
      const none = (op: Operator): void => void op.on.create(Example, function make() {});
      const seen = tally();
      const roll = async (declare: (op: Operator) => void, during: () => Promise<void>): Promise<void> => {
        for (const old of fleet.pods.filter(({ isRunning }) => isRunning)) {
          const next = fleet.add({ declare });
          await fleet.until(() => next.isReady, 90);
          await during();
          old.stop();
          await fleet.until(() => !old.isRunning, 90);
        }
      };
      fleet.add({ declare: none });
      fleet.add({ declare: none });
      await fleet.until(() => fleet.pods.every(({ isReady }) => isReady));
      await roll(checkSize, async () => assert.deepEqual(await names(fleet), [], "replicas without it live"));
      await fleet.until(async () => (await names(fleet)).length === 1);
      await fleet.load(seen, 2);
      assert.deepEqual([seen.admitted, seen.refused], [0, 0], seen.reasons.join("\n"));
      await roll(none, async () => {
        const rest = tally();
        await fleet.load(rest, 1);
        assert.equal(rest.refused, 0, "a replica that does not serve it is not asked");
      });
      assert.deepEqual(await names(fleet), []);
      await fleet.close();
    },
  );

  it(
    "[N27.10] keep the rules of the old release until its last replica has gone",
    { timeout: 60_000 },
    async () => {
      const fleet = await fleetOf(2);
      const wider = (op: Operator): void => {
        op.on.validate(Example, { operations: ["CREATE", "UPDATE"] }, function checkSize({ spec }) {
          if (Number(spec.size) > 10) throw new AdmissionError("Too large", { code: 422 });
        });
      };
      const operations = async (): Promise<unknown> =>
        ((await webhooksOf(fleet))[0]?.rules as { operations: string[] }[])[0]?.operations;
      const [first, second] = fleet.pods;
      const next = fleet.add({ declare: wider });
      await fleet.until(() => next.isReady);
      first?.stop();
      await fleet.until(() => first?.isRunning === false);
      await fleet.advance(30);
      assert.deepEqual(await operations(), ["CREATE"]);
      second?.stop();
      await fleet.until(() => second?.isRunning === false);
      await fleet.until(async () => String(await operations()) === "CREATE,UPDATE");
      await fleet.close();
    },
  );

  it("[N27.11] are refused to an operator of another namespace while the one lives whose they are", {
    timeout: 60_000,
  }, async () => {
    const fleet = await fleetOf(1);
    await fleet.client.create({ group: "", version: "v1", plural: "namespaces", namespaced: false }, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "elsewhere" },
    });
    const other = fleet.add({ declare: checkSize, namespace: "elsewhere" });
    await fleet.until(() => !other.isRunning);
    assert.match(
      String(other.failure),
      /it belongs to the operator "default\/ferries", of which "virtual_\w+" lives/,
    );
    fleet.pods[0]?.stop();
    await fleet.until(() => fleet.pods.every(({ isRunning }) => !isRunning));
    const heir = fleet.add({ declare: checkSize, namespace: "elsewhere" });
    await fleet.until(() => heir.isReady);
    await fleet.until(async () => {
      const { metadata } = await fleet.client.get<KubeObject>(VALIDATING_WEBHOOK_CONFIGURATIONS, {
        name: MANAGED,
      });
      return metadata.annotations?.["lotse.dev/webhooks-of"] === "elsewhere/ferries";
    });
    await fleet.close();
  });

  it("[N27.12] may have long names, as may the operator", { timeout: 60_000 }, async () => {
    const fleet = await WebhookFleet.open();
    const name = "f".repeat(50);
    const managed = `${"m".repeat(56)}.com`;
    const id = "c".repeat(60);
    const declare = (op: Operator): void => void op.on.validate(Example, { id }, () => {});
    fleet.add({ declare, name, managed });
    fleet.add({ declare, name, managed });
    await fleet.until(() => fleet.pods.every(({ isReady }) => isReady));
    await fleet.until(async () => {
      const found = await fleet.client.get<{ metadata: object; webhooks?: Loose[] }>(
        VALIDATING_WEBHOOK_CONFIGURATIONS,
        { name: managed },
      ).catch(() => undefined);
      return found?.webhooks?.[0]?.name === `${id}.${managed}`;
    });
    await fleet.close();
  });

  it("[N27.13] show their key to nobody: it stands in the Secret, and in no line, error or other object", {
    timeout: 60_000,
  }, async () => {
    const fleet = await fleetOf(2);
    const { data } = await fleet.client.get<KubeObject & { data: Record<string, string> }>(SECRETS, SECRET);
    const key = atob(data["tls.key"] ?? "").split("\n")[1] ?? "";
    assert.ok(key.length > 40);
    await fleet.client.patch(SECRETS, SECRET, {
      type: "merge",
      body: { data: { "tls.crt": btoa("no certificate") } },
    });
    await fleet.advance(5);
    await fleet.client.delete(SECRETS, SECRET);
    await fleet.advance(5);
    await fleet.close();
    const encoded = [key, btoa(key).slice(2, -4)];
    const lines = fleet.pods.flatMap(({ logs }) => logs).map((record) =>
      record.message +
      JSON.stringify(record.fields, (_, value) =>
        value instanceof Error ? `${value.message} ${value.stack} ${JSON.stringify(value)}` : value)
    );
    for (const text of lines) assert.ok(!encoded.some((each) => text.includes(each)), "a line shows the key");
    const others = fleet.sent.filter((text) => !text.includes('"kind":"Secret"'));
    for (const text of others) {
      assert.ok(!encoded.some((each) => text.includes(each)), "another object shows the key");
    }
    assert.ok(fleet.sent.length > others.length);
  });

  it("[N27.19] wait for the right to the Secret, say which one it is, and are not ready meanwhile", {
    timeout: 60_000,
  }, async () => {
    const fleet = await WebhookFleet.open();
    fleet.refuses = ({ url }) => new URL(url).pathname.includes(`/secrets`);
    fleet.add({ declare: checkSize });
    fleet.add({ declare: checkSize });
    await fleet.advance(90);
    assert.deepEqual(fleet.pods.map(({ isReady, isRunning }) => [isReady, isRunning]), [[false, true], [
      false,
      true,
    ]]);
    assert.deepEqual(await names(fleet), [], "nothing leads to a server that does not listen");
    const told = fleet.pods.flatMap(({ logs }) => logs).filter(({ level, message }) =>
      level === "error" && message.startsWith("Cannot share a certificate")
    );
    assert.equal(told.length, 2, "each says it once");
    assert.match(fleet.pods[0]?.notReady ?? "", /\[-\]admission failed/);
    fleet.refuses = undefined;
    await fleet.until(() => fleet.pods.every(({ isReady }) => isReady));
    await fleet.until(async () => (await names(fleet)).length === 1);
    const seen = tally();
    await fleet.load(seen, 1);
    assert.deepEqual([seen.admitted, seen.refused], [0, 0], seen.reasons.join("\n"));
    await fleet.close();
  });

  it("[N27.21] replace their certificate when the Secret is annotated, once for each time", {
    timeout: 60_000,
  }, async () => {
    const fleet = await fleetOf(2, { admission: { certificateSettle: 3 } });
    const seen = tally();
    const certificates = new Set(fleet.pods.map(({ certificate }) => certificate));
    for (let round = 0; round < 2; round++) {
      const body = { metadata: { annotations: { "lotse.dev/rotate": "the key was shown" } } };
      await fleet.client.patch(SECRETS, SECRET, { type: "merge", body });
      await fleet.load(seen, 8);
      for (const { certificate } of fleet.pods) certificates.add(certificate);
      assert.equal(certificates.size, round + 2);
    }
    await fleet.load(seen, 8);
    assert.equal(new Set(fleet.pods.map(({ certificate }) => certificate)).size, 1);
    const { metadata } = await fleet.client.get<KubeObject>(SECRETS, SECRET);
    assert.equal(metadata.annotations?.["lotse.dev/rotate"], undefined);
    assert.deepEqual([seen.admitted, seen.refused], [0, 0], seen.reasons.join("\n"));
    await fleet.close();
  });

  it(
    "[N27.22] keep their certificate as long as a configuration cannot be told of the next one, and say which",
    { timeout: 60_000 },
    async () => {
      const fleet = await fleetOf(2, { admission: { certificateSettle: 3 } });
      const [before] = fleet.pods.map(({ certificate }) => certificate);
      fleet.refuses = ({ method, url }) => method === "PATCH" && url.includes("webhookconfigurations");
      const body = { metadata: { annotations: { "lotse.dev/rotate": "now" } } };
      await fleet.client.patch(SECRETS, SECRET, { type: "merge", body });
      const seen = tally();
      await fleet.load(seen, 20);
      assert.deepEqual(fleet.pods.map(({ certificate }) => certificate), [before, before]);
      const told = fleet.pods.flatMap(({ logs }) => logs).filter(({ message }) =>
        message.startsWith("Cannot write the webhook configuration")
      );
      assert.ok(told.some(({ fields }) => fields.configuration === MANAGED));
      fleet.refuses = undefined;
      await fleet.until(() => fleet.pods.every(({ certificate }) => certificate !== before));
      await fleet.load(seen, 2);
      assert.deepEqual([seen.admitted, seen.refused], [0, 0], seen.reasons.join("\n"));
      await fleet.close();
    },
  );

  it(
    "[N27.23] keep a new replica waiting that does not serve one of them, but not for longer than a minute",
    { timeout: 60_000 },
    async () => {
      const fleet = await fleetOf(1);
      const none = (op: Operator): void => void op.on.create(Example, function make() {});
      fleet.refuses = ({ method, url }) => method === "PATCH" && url.includes("webhookconfigurations");
      const first = fleet.add({ declare: none });
      await fleet.advance(40);
      assert.match(first.notReady, /admission-agreement failed/);
      assert.deepEqual(await names(fleet), ["check-size"]);
      await fleet.advance(40);
      assert.ok(first.isReady, first.notReady);
      fleet.refuses = undefined;
      await fleet.until(async () => (await names(fleet)).length === 0);
      const second = fleet.add({ declare: none });
      await fleet.advance(10);
      assert.ok(second.isReady, second.notReady);
      await fleet.close();
    },
  );
});
