/**
 * The client against a real kube-apiserver: what fakes cannot prove.
 */

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { ListPage } from "../../../lib/client/client.ts";
import { LoginError } from "../../../lib/client/errors.ts";
import { login } from "../../../lib/client/auth/login.ts";
import type { KubeObject } from "../../../lib/model/object.ts";
import { currentHost } from "../../../lib/runtime/current_host.ts";
import { type ControlPlane, findControlPlane, startControlPlane } from "../../control_plane/control_plane.ts";
import {
  CONFIG_MAPS,
  configMap,
  connect,
  DEFINITIONS,
  eventually,
  follow,
  NAMESPACES,
  type RealClient,
  until,
  widget,
  widgetDefinition,
  WIDGETS,
} from "./real_server.ts";

const skip = findControlPlane().reason ?? false;

/** Starting a control plane, or its API server again, takes seconds of real time. */
const SLOW = { skip, timeout: 120_000 };

let plane: ControlPlane;
let real: RealClient;

/** NB: not a `before` hook, to which Bun gives 5 s whatever it is told. */
async function open(): Promise<void> {
  if (real !== undefined) return;
  plane = await startControlPlane();
  real = await connect(plane);
}

after(async () => {
  if (real === undefined) return;
  real.client.transport[Symbol.dispose]();
  await plane.stop();
}, { timeout: 60_000 });

/** A namespace for one test. */
async function makeNamespace(name: string): Promise<string> {
  await real.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  return name;
}

async function makeWidgets(): Promise<void> {
  await real.client.create(DEFINITIONS, widgetDefinition()).catch((error) => assert.equal(error.status, 409));
  await eventually(async () => assert.ok((await real.client.discovery.refresh("example.com")).length > 0));
}

describe("Objects on a real API server", () => {
  it("are created, read, listed, changed in all four ways, replaced and deleted", SLOW, async () => {
    await open();
    const { client } = real;
    const namespace = await makeNamespace("objects");
    const address = { namespace, name: "a" };
    const created = await client.create(CONFIG_MAPS, configMap("a", namespace, { data: { x: "1" } }));
    assert.equal(created.metadata.managedFields, undefined);
    assert.ok((await client.get(CONFIG_MAPS, address, { managedFields: true })).metadata.managedFields);
    const change = async (type: "merge" | "json" | "strategic", body: unknown): Promise<unknown> =>
      (await client.patch(CONFIG_MAPS, address, { type, body }))["data"];
    assert.deepEqual(await change("merge", { data: { x: "2", y: "3" } }), { x: "2", y: "3" });
    assert.deepEqual(await change("json", [{ op: "remove", path: "/data/y" }]), { x: "2" });
    assert.deepEqual(await change("strategic", { data: { z: "4" } }), { x: "2", z: "4" });
    const body = configMap("a", namespace, { data: { w: "5" } });
    const applied = await client.patch(CONFIG_MAPS, address, {
      type: "apply",
      body,
      fieldManager: "test",
      force: true,
    });
    assert.deepEqual(applied["data"], { w: "5", x: "2", z: "4" });
    const replaced = await client.replace(CONFIG_MAPS, { ...applied, data: { only: "6" } });
    assert.deepEqual(replaced["data"], { only: "6" });
    await assert.rejects(client.replace(CONFIG_MAPS, { ...applied, data: {} }), {
      status: 409,
      reason: "Conflict",
    });
    const preconditions = { uid: "another" };
    await assert.rejects(client.delete(CONFIG_MAPS, address, { preconditions }), { status: 409 });
    await client.delete(CONFIG_MAPS, address, { preconditions: { uid: created.metadata.uid } });
    await assert.rejects(client.get(CONFIG_MAPS, address), { status: 404, reason: "NotFound" });
    const strict = { fieldValidation: "Strict", dryRun: true } as const;
    await assert.rejects(client.create(CONFIG_MAPS, configMap("b", namespace, { dota: {} }), strict), {
      status: 400,
    });
    await client.create(CONFIG_MAPS, configMap("b", namespace), { dryRun: true });
    await assert.rejects(client.get(CONFIG_MAPS, { namespace, name: "b" }), { status: 404 });
  });

  it("have a status of their own, which only its address changes", SLOW, async () => {
    await open();
    const { client } = real;
    await makeWidgets();
    const namespace = await makeNamespace("statuses");
    await client.create(WIDGETS, widget("a", namespace));
    const address = { namespace, name: "a", subresource: "status" };
    const body = { spec: { size: 9 }, status: { state: "ok" } };
    const patched = await client.patch(WIDGETS, address, { type: "merge", body });
    assert.deepEqual([patched.spec, patched.status], [{ size: 1 }, { state: "ok" }]);
  });

  it("come in pages, with kind and apiVersion", SLOW, async () => {
    await open();
    const { client } = real;
    const namespace = await makeNamespace("pages");
    for (let number = 10; number < 35; number++) {
      await client.create(CONFIG_MAPS, configMap(`c${number}`, namespace));
    }
    const pages: ListPage[] = [];
    for await (const page of client.list(CONFIG_MAPS, { namespace, chunkSize: 10 })) pages.push(page);
    assert.deepEqual(pages.map(({ items }) => items.length), [10, 10, 5]);
    assert.deepEqual(pages.map((page) => page.continue === undefined), [false, false, true]);
    assert.equal(new Set(pages.map(({ resourceVersion }) => resourceVersion)).size, 1);
    for (const { items } of pages) {
      for (const { kind, apiVersion, metadata } of items) {
        assert.deepEqual([kind, apiVersion, metadata.managedFields], ["ConfigMap", "v1", undefined]);
      }
    }
  });

  it("keep keys such as __proto__ and constructor, there and back", SLOW, async () => {
    await open();
    const { client } = real;
    await makeWidgets();
    const namespace = await makeNamespace("keys");
    const text = '{"__proto__":{"x":1},"constructor":{"y":2}}';
    await client.create(WIDGETS, { ...widget("a", namespace), spec: JSON.parse(text) });
    const { spec } = await client.get(WIDGETS, { namespace, name: "a" });
    assert.equal(JSON.stringify(spec), text);
  });
});

describe("Discovery on a real API server", () => {
  it("finds all kinds in two requests", SLOW, async () => {
    await open();
    const { client, requests } = await connect(plane);
    await makeWidgets();
    const all = await eventually(async () => {
      const found = await client.discovery.refresh();
      assert.ok(found.some(({ plural }) => plural === "widgets"));
      return found;
    });
    assert.deepEqual([...new Set(requests.map(({ path }) => path))].sort(), ["/api", "/apis"]);
    const pods = all.find(({ group, plural }) => group === "" && plural === "pods")!;
    assert.ok(pods.subresources.includes("status") && pods.subresources.includes("log"));
    assert.deepEqual(all.find(({ plural }) => plural === "deployments"), {
      ...{ group: "apps", version: "v1", plural: "deployments", kind: "Deployment", singular: "deployment" },
      ...{ shortcuts: ["deploy"], categories: ["all"], namespaced: true, preferred: true },
      ...{
        subresources: ["scale", "status"],
        verbs: all.find(({ plural }) => plural === "deployments")!.verbs,
      },
    });
    assert.equal(client.discovery.broken.size, 0);
    client.transport[Symbol.dispose]();
  });

  it("finds one group without looking at the others, and the same in it", SLOW, async () => {
    await open();
    const { client, requests } = await connect(plane);
    await makeWidgets();
    const found = await client.discovery.group("example.com");
    assert.deepEqual(requests.map(({ path }) => path), ["/apis/example.com", "/apis/example.com/v1"]);
    assert.equal(found.length, 1);
    const { verbs, ...rest } = found[0]!;
    assert.ok(verbs.includes("watch") && verbs.includes("patch"));
    assert.deepEqual(rest, {
      ...{ group: "example.com", version: "v1", plural: "widgets", kind: "Widget", singular: "widget" },
      ...{
        shortcuts: ["wd"],
        categories: ["all"],
        subresources: ["status"],
        namespaced: true,
        preferred: true,
      },
    });
    assert.deepEqual(await client.discovery.group("nobody.example.com"), []);
    const sort = (resources: readonly { plural: string; version: string }[]): string[] =>
      resources.map(({ plural, version }) => `${version}/${plural}`).sort();
    const all = await client.discovery.all();
    for (const group of ["apps", "autoscaling", "apiextensions.k8s.io"]) {
      const alone = await (await connect(plane)).client.discovery.group(group);
      assert.deepEqual(sort(alone), sort(all.filter((it) => it.group === group)), group);
    }
    client.transport[Symbol.dispose]();
  });
});

describe("watchObjects() on a real API server", () => {
  for (const streaming of ["auto", false] as const) {
    const way = streaming ? "streams" : "pages";

    it(`gives what is there and what happens, with ${way}`, SLOW, async () => {
      await open();
      const { client } = real;
      const watching = await connect(plane);
      const namespace = await makeNamespace(`watch-${way}`);
      for (let number = 10; number < 35; number++) {
        await client.create(CONFIG_MAPS, configMap(`c${number}`, namespace));
      }
      await using watch = follow(watching, { resource: CONFIG_MAPS, namespace, streaming });
      await until(() => watch.items.includes("LISTED"), () => watch.items);
      assert.equal(watch.items.filter((item) => item.startsWith("null c")).length, 25);
      assert.equal(watch.items.at(-1), "LISTED");
      await client.create(CONFIG_MAPS, configMap("new", namespace));
      await client.patch(CONFIG_MAPS, { namespace, name: "new" }, {
        type: "merge",
        body: { data: { a: "1" } },
      });
      await client.delete(CONFIG_MAPS, { namespace, name: "new" });
      await until(() => watch.items.at(-1) === "DELETED new", () => watch.items);
      assert.deepEqual(watch.items.slice(26), ["ADDED new", "MODIFIED new", "DELETED new"]);
      const lists = watching.requests.filter(({ path }) => !path.includes("watch=true")).length;
      assert.equal(lists, streaming ? 0 : 3);
      assert.equal(watching.client.transport.unstreamed.size, 0);
      assert.deepEqual(watching.logs.filter(({ level }) => level === "warn"), []);
      watching.client.transport[Symbol.dispose]();
    });
  }

  it("announces objects of 1 MB", SLOW, async () => {
    await open();
    const namespace = await makeNamespace("large");
    await using watch = follow(real, { resource: CONFIG_MAPS, namespace });
    await until(() => watch.items.includes("LISTED"));
    await real.client.create(
      CONFIG_MAPS,
      configMap("large", namespace, { data: { x: "ü".repeat(500_000) } }),
    );
    await until(() => watch.items.includes("ADDED large"));
  });

  it("waits for a kind that is not there, and sees it go and come back", SLOW, async () => {
    await open();
    const { client } = real;
    await makeWidgets();
    const namespace = await makeNamespace("kinds");
    await client.create(WIDGETS, widget("a", namespace));
    await using watch = follow(real, { resource: WIDGETS, namespace });
    await until(() => watch.items.includes("LISTED"));
    await client.delete(DEFINITIONS, { name: "widgets.example.com" });
    await until(() => watch.items.some((item) => item.endsWith("DELETED a")), () => watch.items);
    await until(
      () => (watch.state()?.lastError as { status?: number } | undefined)?.status === 404,
      () => watch.state(),
    );
    await eventually(async () => {
      await client.create(DEFINITIONS, widgetDefinition());
    });
    await eventually(async () => {
      await client.create(WIDGETS, widget("b", namespace));
    });
    await until(() => watch.items.some((item) => item === "ADDED b" || item === "null b"), () => watch.items);
  });

  it("goes on when the API server is stopped or killed, and started again", SLOW, async () => {
    await open();
    const { client } = real;
    const namespace = await makeNamespace("restarts");
    await client.create(CONFIG_MAPS, configMap("a", namespace));
    const watching = await connect(plane);
    await using streamed = follow(watching, { resource: CONFIG_MAPS, namespace });
    await using paged = follow(watching, { resource: CONFIG_MAPS, namespace, streaming: false });
    const both = [streamed, paged];
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await until(
        () => both.every(({ state }) => state()?.phase === "watching"),
        () => both.map((it) => it.state()),
      );
      await plane.stopApiServer(signal);
      await until(
        () => both.every(({ state }) => state()?.phase === "waiting"),
        () => both.map((it) => it.state()),
      );
      await plane.startApiServer();
      await client.create(CONFIG_MAPS, configMap(`after-${signal.toLowerCase()}`, namespace));
      for (const watch of both) {
        const isSeen = (item: string): boolean => item.endsWith(`after-${signal.toLowerCase()}`);
        await until(() => watch.items.some(isSeen), () => [watch.items, watch.state()]);
        assert.ok(!watch.items.some((item) => item.includes("DELETED")), watch.items.join());
      }
    }
    watching.client.transport[Symbol.dispose]();
  });

  it("lists again after 410, and announces what vanished meanwhile", SLOW, async () => {
    await open();
    const { client } = real;
    const namespace = await makeNamespace("expired");
    const labels = { watched: "yes" };
    await client.create(CONFIG_MAPS, configMap("a", namespace, { labels }));
    await client.create(CONFIG_MAPS, configMap("b", namespace, { labels }));
    for (const streaming of ["auto", false] as const) {
      const watching = await connect(plane);
      await using watch = follow(watching, {
        resource: CONFIG_MAPS,
        namespace,
        labelSelector: "watched=yes",
        streaming,
      });
      await until(() => watch.items.includes("LISTED"));
      // The watch is open, and nobody pulls: what happens now gets lost with the connection.
      await client.create(CONFIG_MAPS, configMap("gone", namespace, { labels }));
      await until(() => watch.items.includes("ADDED gone"));
      watch.hold(true);
      await client.patch(CONFIG_MAPS, { namespace, name: "b" }, {
        type: "merge",
        body: { data: { x: `${streaming}` } },
      });
      await until(() => watch.items.includes("MODIFIED b"));
      await client.delete(CONFIG_MAPS, { namespace, name: "gone" });
      await client.create(CONFIG_MAPS, configMap(`other-${streaming}`, namespace));
      await plane.stopApiServer("SIGKILL");
      await plane.startApiServer();
      watch.hold(false);
      await until(
        () => watch.items.filter((item) => item === "LISTED").length === 2,
        () => [watch.items, watch.state()],
      );
      const { items } = watch;
      assert.deepEqual(items.slice(items.indexOf("MODIFIED b") + 1), [
        "null a",
        "null b",
        "synthetic DELETED gone",
        "LISTED",
      ]);
      assert.ok(watching.logs.some(({ message }) => message === "Version is too old, listing again"));
      watching.client.transport[Symbol.dispose]();
    }
  });
});

describe("Logging in to a real API server", () => {
  it("fails clearly when the server refuses, and goes on when the token file is mended", SLOW, async () => {
    await open();
    const host = currentHost();
    const folder = await host.files.makeTempFolder("lotse-login-");
    const path = host.files.resolve(folder, "config");
    const cluster = { server: plane.server, "certificate-authority-data": btoa(plane.caPem) };
    await host.files.writeText(host.files.resolve(folder, "token"), "wrong");
    await host.files.writeText(
      path,
      JSON.stringify({
        "current-context": "it",
        contexts: [{ name: "it", context: { cluster: "c", user: "u", namespace: "kube-system" } }],
        clusters: [{ name: "c", cluster }],
        users: [{ name: "u", user: { tokenFile: "token" } }],
      }),
    );
    const { client, requests } = await connect(plane, await login({ host, kubeconfig: path }));
    const get = (): Promise<KubeObject> => client.get(NAMESPACES, { name: "default" });
    await assert.rejects(
      get(),
      (error) => error instanceof LoginError && (error.cause as { status?: number }).status === 401,
    );
    await host.files.writeText(host.files.resolve(folder, "token"), `${plane.adminToken}\n`);
    assert.equal((await get()).kind, "Namespace");
    assert.equal(requests.length, 2);
    assert.equal(client.defaultNamespace, "kube-system");
    client.transport[Symbol.dispose]();
    await host.files.remove(folder);
  });

  it("takes tokens from a program, and acts as somebody else with several groups", SLOW, async () => {
    await open();
    const host = currentHost();
    const folder = await host.files.makeTempFolder("lotse-login-");
    const path = host.files.resolve(folder, "config");
    const cluster = { server: plane.server, "certificate-authority-data": btoa(plane.caPem) };
    const credential = {
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      status: { token: plane.adminToken },
    };
    const exec = {
      ...{ apiVersion: "client.authentication.k8s.io/v1", command: "sh", interactiveMode: "Never" },
      args: ["-c", 'echo "$ANSWER"'],
      env: [{ name: "ANSWER", value: JSON.stringify(credential) }],
    };
    const user = {
      exec,
      as: "jane",
      "as-groups": ["dev", "ops"],
      "as-user-extra": { "acme.com/project": ["one", "two"] },
    };
    await host.files.writeText(
      path,
      JSON.stringify({
        contexts: [{ name: "it", context: { cluster: "c", user: "u" } }],
        clusters: [{ name: "c", cluster }],
        users: [{ name: "u", user }],
      }),
    );
    const { client } = await connect(plane, await login({ host, kubeconfig: path, context: "it" }));
    const reviews = {
      group: "authentication.k8s.io",
      version: "v1",
      plural: "selfsubjectreviews",
      namespaced: false,
    };
    const review = await client.create<{ status: { userInfo: Record<string, unknown> } }>(reviews, {
      apiVersion: "authentication.k8s.io/v1",
      kind: "SelfSubjectReview",
    });
    const { username, groups, extra } = review.status.userInfo;
    assert.equal(username, "jane");
    assert.deepEqual(groups, ["dev", "ops", "system:authenticated"]);
    assert.deepEqual(extra, { "acme.com/project": ["one", "two"] });
    client.transport[Symbol.dispose]();
    await host.files.remove(folder);
  });

  it("does not talk to a server that another authority vouches for", SLOW, async () => {
    await open();
    const host = currentHost();
    const credentials = await login({ host, kubeconfig: plane.kubeconfig });
    const { ca: _ours, ...info } = await credentials.current();
    const fixed = { current: () => Promise.resolve(info), invalidate: () => {} };
    const { client, requests } = await connect(plane, fixed);
    await assert.rejects(client.get(NAMESPACES, { name: "default" }));
    assert.equal(requests.length, 1, "it is not tried again");
    client.transport[Symbol.dispose]();
  });
});
