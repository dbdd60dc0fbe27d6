import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Client } from "../../../lib/client/client.ts";
import { ApiError } from "../../../lib/client/errors.ts";
import { conversionBy, writeConversions } from "../../../lib/engines/definitions/conversion.ts";
import { makeCrds } from "../../../lib/kits/definitions/crds.ts";
import { CRDS } from "../../../lib/engines/definitions/served_schema.ts";
import type { ResourceOptions } from "../../../lib/registry/resource.ts";
import { createLogger, type LogRecord } from "../../../lib/runtime/logging.ts";
import type { WebhookClientConfig } from "../../../lib/settings/admission_server.ts";
import { virtualWorld } from "../../support/virtual_world.ts";
import { z } from "zod";

const service = { namespace: "home", name: "hulls-webhook" };

const HULLS: ResourceOptions = {
  group: "hulls.test",
  version: "v1",
  plural: "hulls",
  kind: "Hull",
  spec: z.object({}),
  versions: { v0: { convert: { toHub: () => ({}), fromHub: () => ({}) } } },
};

describe("conversionBy()", () => {
  it("names a Service with its port, as the server keeps it, or a URL, and never both", () => {
    const clientConfig = { service: { port: 443, ...service }, caBundle: "Y2E=" };
    assert.deepEqual(conversionBy({ service, caBundle: "Y2E=" }), {
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig },
    });
    assert.deepEqual(conversionBy({ url: "https://x/convert" }).webhook, {
      conversionReviewVersions: ["v1"],
      clientConfig: { url: "https://x/convert" },
    });
  });
});

describe("makeCrds()", () => {
  it("says who converts, only of kinds whose versions are converted", () => {
    const [hulls, plain] = makeCrds([HULLS, { ...HULLS, plural: "plains", kind: "Plain", versions: {} }], {
      service,
    });
    assert.deepEqual(hulls?.spec?.conversion, conversionBy({ service }));
    assert.equal(plain?.spec?.conversion, undefined);
  });
});

describe("writeConversions()", () => {
  async function setUp() {
    const { client } = await virtualWorld({ kinds: false });
    const logs: LogRecord[] = [];
    const { clock } = (await virtualWorld({ kinds: false })).host;
    const logger = createLogger({ level: "info", write: (record) => logs.push(record) }, clock);
    const { signal } = new AbortController();
    const write = (way: WebhookClientConfig, by: Client = client) =>
      writeConversions([HULLS], { client: by, way, logger, signal });
    const crd = () => client.get(CRDS, { name: "hulls.hulls.test" });
    return { client, logs, write, crd };
  }

  it("passes over kinds that are not defined yet", async () => {
    const { write, logs } = await setUp();
    await write({ service });
    assert.deepEqual(logs, []);
  });

  it("writes another way in place of the first, and what is there already not again", async () => {
    const { client, write, crd, logs } = await setUp();
    const [made] = makeCrds([HULLS], { service });
    await client.create(CRDS, made ?? {});
    await write({ url: "https://127.0.0.1:9443/convert", caBundle: CA });
    assert.deepEqual(
      (await crd()).spec?.conversion,
      conversionBy({ url: "https://127.0.0.1:9443/convert", caBundle: CA }),
    );
    await write({ service, caBundle: CA });
    const { spec, metadata } = await crd();
    assert.deepEqual(spec?.conversion, conversionBy({ service, caBundle: CA }));
    await write({ service, caBundle: CA });
    assert.equal((await crd()).metadata.resourceVersion, metadata.resourceVersion);
    assert.equal(logs.length, 2);
  });

  it("passes on what is no missing kind", async () => {
    const { write } = await setUp();
    const get = () => Promise.reject(new ApiError({ request: "/apis", status: 500 }));
    await assert.rejects(write({ service }, { get } as unknown as Client), ApiError);
  });

  it("says which right is missing", async () => {
    const { client, write, logs } = await setUp();
    const [made] = makeCrds([HULLS], { service });
    await client.create(CRDS, made ?? {});
    const get: Client["get"] = (...args) => client.get(...args);
    const patch = () => Promise.reject(new ApiError({ request: "/apis", status: 403 }));
    // Nothing else is asked.
    await assert.rejects(write({ url: "https://x/convert" }, { get, patch } as unknown as Client), ApiError);
    assert.match(logs[0]?.message ?? "", /grant the operator the right to get and patch it/);
  });
});

/** Any certificate in PEM, as base64. */
const CA = btoa("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");
