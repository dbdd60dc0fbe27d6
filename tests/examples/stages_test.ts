/** Runs each example in the API server in the process, in virtual time, and holds it to what its README says. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import minimal from "../../examples/01-minimal/handlers.ts";
import database from "../../examples/02-database/handlers.ts";
import daemons from "../../examples/03-daemons/handlers.ts";
import timers from "../../examples/04-timers/handlers.ts";
import indexing from "../../examples/05-indexing/handlers.ts";
import activities from "../../examples/06-activities/handlers.ts";
import { main } from "../../examples/07-embedding/main.ts";
import type { Book } from "../../examples/07-embedding/operators.ts";
import hierarchies from "../../examples/08-hierarchies/handlers.ts";
import filters from "../../examples/09-filters/handlers.ts";
import peering from "../../examples/22-peering/handlers.ts";
import { fixedCredentials } from "../../lib/client/auth/connection_info.ts";
import { start } from "../../lib/kits/testing/mod.ts";
import { createLogger, type LogRecord } from "../../lib/runtime/logging.ts";
import { Stage } from "../support/stage.ts";

describe("examples/01-minimal", () => {
  const HELLO = "/apis/example.com/v1/namespaces/default/greetings/hello";

  it("greets, greets anew, says goodbye, and logs what its README says", async () => {
    const stage = new Stage("01-minimal");
    await stage.apply("crd.yaml", "greeting.yaml");
    await using runner = await stage.start(minimal);
    assert.equal((await stage.get(HELLO)).status.message, "Hello, world!");
    await stage.patch(HELLO, { spec: { whom: "moon" } });
    await runner.settle();
    assert.equal((await stage.get(HELLO)).status.message, "Hello, moon!");
    await stage.delete(HELLO);
    await runner.settle();
    assert.equal(await stage.get(HELLO), undefined);
    stage.compareWithReadme(runner, { sideBySide: true });
  });
});

describe("examples/02-database", () => {
  const DATABASES = "/apis/example.com/v1/namespaces/default/databases";
  const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
  const SERVICES = "/api/v1/namespaces/default/services";
  const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
  const SETS = "/apis/apps/v1/namespaces/default/statefulsets";
  const JOBS = "/apis/batch/v1/namespaces/default/cronjobs";

  async function setUp(): Promise<Stage> {
    const stage = new Stage("02-database");
    await stage.apply("crd.yaml", "databases.yaml");
    return stage;
  }

  it("makes a database's objects, and writes into its status where it is", async () => {
    const stage = await setUp();
    await using _runner = await stage.start(database);
    const { status, metadata } = await stage.get(`${DATABASES}/orders`);
    assert.equal(status.state, "Provisioned");
    assert.equal(status.endpoint, "orders.default.svc:5432");
    assert.deepEqual([status.conditions[0].type, status.conditions[0].status], ["Provisioned", "True"]);
    for (
      const path of [`${CLAIMS}/orders-data`, `${SERVICES}/orders`, `${SETS}/orders`, `${JOBS}/orders-backup`]
    ) {
      const [owner] = (await stage.get(path)).metadata.ownerReferences;
      assert.deepEqual([owner.kind, owner.name, owner.uid], ["Database", "orders", metadata.uid], path);
    }
    const set = await stage.get(`${SETS}/orders`);
    assert.deepEqual([set.spec.replicas, set.spec.template.spec.containers[0].image], [2, "postgres:16.2"]);
    assert.equal((await stage.get(`${CLAIMS}/orders-data`)).spec.resources.requests.storage, "10Gi");
    assert.equal(await stage.get(`${JOBS}/sessions-backup`), undefined);
  });

  it("follows its README from creation to deletion", async () => {
    const stage = await setUp();
    await using runner = await stage.start(database);
    await stage.patch(`${DATABASES}/orders`, { spec: { replicas: 3 } });
    await runner.settle();
    assert.equal((await stage.get(`${SETS}/orders`)).spec.replicas, 3);

    await stage.delete(`${SERVICES}/orders`);
    await runner.settle();
    assert.equal((await stage.get(`${SERVICES}/orders`)).spec.ports[0].port, 5432, "put back");

    await stage.patch(`${DATABASES}/orders`, { spec: { version: "15.1" } });
    await runner.settle();
    assert.equal((await stage.get(`${SETS}/orders`)).spec.template.spec.containers[0].image, "postgres:16.2");

    await stage.patch(`${DATABASES}/wiki`, { spec: { backupEnabled: false, storage: "4Gi" } });
    await runner.settle();
    assert.equal(await stage.get(`${JOBS}/wiki-backup`), undefined);
    assert.equal(
      (await stage.get(`${DATABASES}/wiki`)).status.pendingAction,
      "Resize the volume from 2Gi to 4Gi",
    );

    await stage.delete(`${DATABASES}/wiki`);
    await runner.settle();
    for (const path of [`${DATABASES}/wiki`, `${SETS}/wiki`, `${SERVICES}/wiki`, `${CLAIMS}/wiki-data`]) {
      assert.equal(await stage.get(path), undefined, path);
    }
    const snapshot = await stage.get(`${CONFIG_MAPS}/wiki-final-snapshot`);
    assert.equal(JSON.parse(snapshot.data["spec.json"]).storage, "4Gi");
    stage.compareWithReadme(runner, { sideBySide: true });
  });

  it("upgrades the StatefulSet and the backups together", async () => {
    const stage = await setUp();
    await using runner = await stage.start(database);
    await stage.patch(`${DATABASES}/orders`, { spec: { version: "16.10" } });
    await runner.settle();
    const job = await stage.get(`${JOBS}/orders-backup`);
    assert.equal(
      (await stage.get(`${SETS}/orders`)).spec.template.spec.containers[0].image,
      "postgres:16.10",
    );
    assert.equal(job.spec.jobTemplate.spec.template.spec.containers[0].image, "postgres:16.10");
  });

  it("tries again after ten seconds where the API refuses a call", async () => {
    const stage = await setUp();
    stage.broken = /PATCH .*statefulsets/;
    await using runner = await stage.start(database);
    assert.equal((await stage.get(`${DATABASES}/orders`)).status?.state, undefined);
    stage.broken = undefined;
    await runner.advance(9);
    assert.equal(await stage.get(`${SETS}/orders`), undefined);
    await runner.advance(2);
    assert.equal((await stage.get(`${DATABASES}/orders`)).status.state, "Provisioned");
  });

  it("makes again at its start what went missing while it was away, and nothing else", async () => {
    const stage = await setUp();
    const first = await stage.start(database);
    await first.stop();
    await stage.delete(`${SERVICES}/orders`);
    const before = (await stage.get(`${SETS}/orders`)).metadata.resourceVersion;
    await using runner = await stage.start(database);
    assert.ok(await stage.get(`${SERVICES}/orders`));
    assert.equal((await stage.get(`${SETS}/orders`)).metadata.resourceVersion, before);
    const handlers = new Set(runner.logs.flatMap(({ fields }) => fields.handler ?? []));
    assert.deepEqual([...handlers], ["restore"]);
  });

  it("takes the snapshot of a database that was deleted while it was away", async () => {
    const stage = await setUp();
    const first = await stage.start(database);
    await first.stop();
    await stage.delete(`${DATABASES}/orders`);
    assert.ok((await stage.get(`${DATABASES}/orders`)).metadata.deletionTimestamp);
    await using _runner = await stage.start(database);
    assert.equal(await stage.get(`${DATABASES}/orders`), undefined);
    assert.ok(await stage.get(`${CONFIG_MAPS}/orders-final-snapshot`));
  });

  it("follows the Pods that come of it, and no others", async () => {
    const stage = await setUp();
    await using runner = await stage.start(database);
    const spec = { containers: [{ name: "c", image: "i" }] };
    const labels = { "app.kubernetes.io/managed-by": "database-operator" };
    await stage.applyObjects([
      { apiVersion: "v1", kind: "Pod", metadata: { name: "orders-0", labels }, spec },
      { apiVersion: "v1", kind: "Pod", metadata: { name: "other" }, spec },
    ]);
    await runner.settle();
    const seen = runner.logs.filter(({ message }) => message === "A Pod changed");
    assert.deepEqual(seen.map(({ reference, fields }) => [reference?.name, fields.event]), [[
      "orders-0",
      "ADDED",
    ]]);
  });
});

describe("examples/03-daemons", () => {
  const LIGHTHOUSE = "/apis/example.com/v1/namespaces/default/lighthouses/roter-sand";

  it("follows its README: without oil, with a shorter period, unmanned, and deleted", async () => {
    const stage = new Stage("03-daemons");
    await stage.apply("crd.yaml", "lighthouse.yaml");
    await using runner = await stage.start(daemons);
    await stage.patch(LIGHTHOUSE, { spec: { oil: true } });
    await runner.advance(55);
    await stage.patch(LIGHTHOUSE, { spec: { period: 5 } });
    await runner.advance(24);
    await stage.patch(LIGHTHOUSE, { metadata: { labels: { manned: null } } });
    await runner.settle();
    const { status, metadata } = await stage.get(LIGHTHOUSE);
    assert.deepEqual([status.lamp, metadata.finalizers], ["off", undefined]);
    await stage.patch(LIGHTHOUSE, { metadata: { labels: { manned: "yes" } } });
    await runner.advance(1);
    await stage.delete(LIGHTHOUSE);
    await runner.settle();
    assert.equal(await stage.get(LIGHTHOUSE), undefined);
    stage.compareWithReadme(runner, { sideBySide: true });
  });
});

describe("examples/04-timers", () => {
  const GARDEN = "/apis/example.com/v1/namespaces/default/gardens/behind-the-house";

  it("follows its README: watered every minute, and tidied up half a minute after a change", async () => {
    const stage = new Stage("04-timers");
    await stage.apply("crd.yaml", "garden.yaml");
    await using runner = await stage.start(timers);
    await runner.advance(100);
    await stage.patch(GARDEN, { spec: { beds: 4 } });
    await runner.advance(200);
    assert.deepEqual((await stage.get(GARDEN)).status, { watered: 6, tidy: 4 });
    assert.equal(runner.messages().filter((message) => message === "Tidied up").length, 2);
    stage.compareWithReadme(runner, { sideBySide: true });
  });
});

describe("examples/05-indexing", () => {
  const HARBOUR = "/apis/example.com/v1/namespaces/default/festivals/harbour";

  it("invites whom the index knows, and logs what its README says", async () => {
    const stage = new Stage("05-indexing");
    await stage.apply("crd.yaml", "objects.yaml");
    await using runner = await stage.start(indexing);
    assert.deepEqual((await stage.get(HARBOUR)).status.guests, ["ada", "dan"]);
    await stage.patch(HARBOUR, { spec: { city: "Bremen" } });
    await runner.settle();
    assert.deepEqual((await stage.get(HARBOUR)).status.guests, ["cleo"]);
    await stage.delete("/apis/example.com/v1/namespaces/default/people/cleo");
    await runner.settle();
    stage.compareWithReadme(runner, { sideBySide: true });
  });
});

describe("examples/06-activities", () => {
  it("starts, answers probes, cleans up, and logs what its README says", async () => {
    const stage = new Stage("06-activities");
    const { host, fetch } = stage;
    await stage.apply("crd.yaml", "entry.yaml");
    const liveness = "http://localhost:8080/healthz";
    const runner = await start(activities, { cluster: { host, fetch }, level: "info", liveness });
    await runner.advance(3);
    using probes = host.network.connect({ server: "http://localhost:8080" });
    const ask = async (path: string): Promise<string> =>
      await (await probes.request({ method: "GET", path, headers: {} })).text();
    assert.deepEqual([await ask("/healthz"), await ask("/readyz")], ['{"entries":1}', "ok"]);
    assert.match(await ask("/metrics"), /^lotse_objects{kind="entries.example.com"} 1$/m);
    await runner.stop();
    stage.compareWithReadme(runner, { sideBySide: true });
  });
});

describe("examples/07-embedding", () => {
  it("runs two operators, shares a book with them, and stops both", async () => {
    const stage = new Stage("07-embedding");
    await stage.apply("crd.yaml", "guests.yaml");
    const { clock, network } = stage.host;
    network.route("https://cluster.test", stage.fetch);
    const logs: LogRecord[] = [];
    const logger = createLogger({ level: "info", write: (record) => logs.push(record) }, clock);
    const credentials = fixedCredentials({ server: "https://cluster.test" });
    const stopping = new AbortController();
    let book: Book | undefined;
    const run = main({ host: stage.host, logger, credentials, signal: stopping.signal }, (full) => {
      book = full;
    });
    await clock.settle();
    assert.deepEqual([...book?.seats ?? []], [["ada", 2], ["grace", 3]]);
    await stage.delete("/apis/example.com/v1/namespaces/default/guests/ada");
    await clock.settle();
    assert.deepEqual([...book?.seats ?? []], [["grace", 3]]);
    const written = logs.filter(({ message }) => message === "Written down").map(({ fields }) =>
      fields.event
    );
    assert.deepEqual([written[0], written.at(-1)], ["LISTED", "DELETED"]);
    stage.compareWithReadme({ logs });
    stopping.abort();
    await clock.advance(10);
    await run;
  });
});

describe("examples/08-hierarchies", () => {
  const SHOP = "/apis/example.com/v1/namespaces/default/shops/corner";
  const DEPLOYMENT = "/apis/apps/v1/namespaces/default/deployments/corner";

  it("adopts a Deployment that goes with the Shop, and lets go of a ConfigMap that stays", async () => {
    const stage = new Stage("08-hierarchies");
    await stage.apply("crd.yaml", "shop.yaml");
    await using runner = await stage.start(hierarchies);
    const shop = await stage.get(SHOP);
    const { metadata, spec } = await stage.get(DEPLOYMENT);
    assert.deepEqual(metadata.labels, { "team": "groceries", "example.com/shop": "corner" });
    assert.deepEqual(spec.template.metadata.labels, { app: "shop", ...metadata.labels });
    const name = shop.status.configMap;
    assert.match(name, /^corner-.+/);
    const settings = `/api/v1/namespaces/default/configmaps/${name}`;
    for (const path of [DEPLOYMENT, settings]) {
      const [owner] = (await stage.get(path)).metadata.ownerReferences;
      assert.deepEqual([owner.uid, owner.controller], [shop.metadata.uid, true], path);
    }
    await stage.delete(SHOP);
    await runner.advance(10);
    assert.equal(await stage.get(SHOP), undefined);
    assert.equal(await stage.get(DEPLOYMENT), undefined);
    const kept = await stage.get(settings);
    assert.deepEqual([kept.data, kept.metadata.ownerReferences], [{ greeting: "Come in!" }, undefined]);
    stage.compareWithReadme(runner, { sideBySide: true });
  });
});

describe("examples/09-filters", () => {
  const PARCELS = "/apis/example.com/v1/namespaces/default/parcels";

  it("calls handlers for what they filter by, and leaves alone what nobody wants", async () => {
    const stage = new Stage("09-filters");
    await stage.apply("crd.yaml", "parcels.yaml");
    const before = await stage.get(`${PARCELS}/letter`);
    await using runner = await stage.start(filters);
    await stage.patch(`${PARCELS}/books`, { spec: { state: "sent" } });
    await runner.settle();
    await stage.patch(`${PARCELS}/piano`, { spec: { insurance: null } });
    await runner.settle();
    await stage.patch(`${PARCELS}/piano`, { spec: { state: "lost" } });
    await runner.settle();
    assert.deepEqual((await stage.get(`${PARCELS}/letter`)).metadata, before.metadata);
    assert.equal(runner.logs.some(({ reference }) => reference?.name === "letter"), false);
    assert.equal(runner.messages().filter((message) => message === "Announced").length, 1);
    await stage.patch(`${PARCELS}/piano`, { spec: { weight: 3000 } });
    await runner.settle();
    assert.deepEqual(runner.messages("warn"), ["No longer insured", "Is that so?"]);
    stage.compareWithReadme(runner, { sideBySide: true });
  });
});

describe("examples/22-peering", () => {
  it("does what its README says", async () => {
    const stage = new Stage("22-peering");
    await stage.apply("peering.yaml", "crd.yaml", "bell.yaml");
    await using runner = await stage.start(peering);
    const path = "/apis/kopf.dev/v1/clusterkopfpeerings/default";
    await stage.patch(path, { status: { "me@laptop": { priority: 100, lifetime: 60 } } });
    await runner.settle();
    await runner.advance(20);
    await stage.patch(path, { status: { "me@laptop": null } });
    await runner.settle();
    stage.compareWithReadme(runner, { sideBySide: true });
  });
});
