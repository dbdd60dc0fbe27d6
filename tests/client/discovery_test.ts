import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError } from "../../lib/client/errors.ts";
import { type Answer, json, makeWorld, refusal, type World } from "./fake_server.ts";

/** What an old server serves, by path. */
const LEGACY: Record<string, unknown> = {
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/api/v1": listOf("v1", [{ name: "pods", kind: "Pod", namespaced: true }, {
    name: "pods/log",
    kind: "Pod",
  }]),
  "/apis": {
    kind: "APIGroupList",
    groups: [
      groupOf("example.com", ["v1", "v1beta1"]),
      groupOf("metrics.k8s.io", ["v1beta1"]),
    ],
  },
  "/apis/example.com": { kind: "APIGroup", ...groupOf("example.com", ["v1", "v1beta1"]) },
  "/apis/example.com/v1": listOf("example.com/v1", [{
    name: "widgets",
    singularName: "",
    kind: "Widget",
    namespaced: true,
  }]),
  "/apis/example.com/v1beta1": listOf("example.com/v1beta1", [{
    name: "widgets",
    kind: "Widget",
    namespaced: true,
  }]),
  "/apis/metrics.k8s.io": { kind: "APIGroup", ...groupOf("metrics.k8s.io", ["v1beta1"]) },
  "/apis/metrics.k8s.io/v1beta1": listOf("metrics.k8s.io/v1beta1", [{ name: "pods", kind: "PodMetrics" }]),
};

function groupOf(name: string, versions: string[]): Record<string, unknown> {
  const list = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: list, preferredVersion: list[0] };
}

function listOf(groupVersion: string, resources: unknown[]): Record<string, unknown> {
  return { kind: "APIResourceList", groupVersion, resources };
}

/** Serves what the table holds, or else what the server answers for such paths. */
function serve(overrides: Record<string, Answer> = {}): Answer {
  return (request) => {
    const override = overrides[request.path];
    if (override !== undefined) return override(request);
    const body = LEGACY[request.path];
    return body === undefined ? refusal(404, "NotFound") : json(body);
  };
}

function aggregated(items: unknown[]): Record<string, unknown> {
  return { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", items };
}

function aggregatedGroup(
  name: string,
  versions: string[],
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  const resources = [{
    resource: "widgets",
    responseKind: { kind: "Widget" },
    scope: "Namespaced",
    verbs: ["list"],
  }];
  return {
    metadata: { name },
    versions: versions.map((version) => ({ version, resources, freshness: "Current", ...more })),
  };
}

async function namesOf(
  world: World,
  call: Promise<readonly { group: string; version: string; plural: string }[]>,
): Promise<string[]> {
  let done = false;
  const settled = call.finally(() => done = true);
  settled.catch(() => {});
  await world.host.clock.until(() => done);
  return (await settled).map(({ group, version, plural }) =>
    [group, version, plural].filter((it) => it !== "").join("/")
  );
}

function paths(world: World): string[] {
  return [...new Set(world.seen.map(({ path }) => path))].sort();
}

describe("Discovery.groups()", () => {
  it("[B186] asks for the groups that are wanted only", async () => {
    const world = makeWorld({ answer: serve() });
    const names = await namesOf(
      world,
      world.client.discovery.groups(["", "example.com", "kopf.dev", "example.com"]),
    );
    assert.deepEqual(names, ["v1/pods", "example.com/v1/widgets", "example.com/v1beta1/widgets"]);
    const kinds = ["/apis/example.com/v1", "/apis/example.com/v1beta1"];
    assert.deepEqual(paths(world), ["/api", "/api/v1", "/apis", ...kinds]);
    const { length } = world.seen;
    await namesOf(world, world.client.discovery.groups(["example.com", "kopf.dev"]));
    assert.equal(world.seen.length, length, "what is known is not asked for again");
  });

  it("asks group by group where the list of groups cannot be had", async () => {
    for (const answer of [() => refusal(403), () => new Response("<html>")]) {
      const world = makeWorld({ answer: serve({ "/apis": answer }) });
      const names = await namesOf(world, world.client.discovery.groups(["example.com", "kopf.dev"]));
      assert.deepEqual(names, ["example.com/v1/widgets", "example.com/v1beta1/widgets"]);
      assert.equal(world.client.discovery.broken.size, 0);
    }
  });

  it("asks again for a group that was broken", async () => {
    const world = makeWorld({ answer: serve({ "/apis/example.com/v1": () => refusal(403) }) });
    const ask = () => namesOf(world, world.client.discovery.groups(["example.com", "kopf.dev"]));
    assert.deepEqual(await ask(), ["example.com/v1beta1/widgets"]);
    world.answer(serve());
    assert.deepEqual(await ask(), ["example.com/v1/widgets", "example.com/v1beta1/widgets"]);
  });
});

describe("Discovery.all()", () => {
  it("[B187] asks for all groups, one by one where the server is old", async () => {
    const world = makeWorld({ answer: serve() });
    const names = await namesOf(world, world.client.discovery.all());
    assert.deepEqual(names, [
      "v1/pods",
      "example.com/v1/widgets",
      "example.com/v1beta1/widgets",
      "metrics.k8s.io/v1beta1/pods",
    ]);
  });

  it("asks twice in all where the server aggregates", async () => {
    const world = makeWorld({
      answer: ({ path, headers }) => {
        assert.match(
          headers["accept"]!,
          /^application\/json;g=apidiscovery\.k8s\.io;v=v2;as=APIGroupDiscoveryList,/,
        );
        return json(
          aggregated(
            path === "/api" ? [aggregatedGroup("", ["v1"])] : [aggregatedGroup("a.test", ["v2", "v1"])],
          ),
        );
      },
    });
    assert.deepEqual(await namesOf(world, world.client.discovery.all()), [
      "v1/widgets",
      "a.test/v2/widgets",
      "a.test/v1/widgets",
    ]);
    assert.deepEqual(paths(world), ["/api", "/apis"]);
    const preferred = (await world.client.discovery.all()).filter((it) => it.preferred).map(({ version }) =>
      version
    );
    assert.deepEqual(preferred, ["v1", "v2"]);
    assert.equal((await world.client.discovery.group("a.test")).length, 2);
    assert.equal(world.seen.length, 2, "and remembers");
  });

  it("leaves out a group whose own server does not answer, with one warning, and asks again the next time", async () => {
    let isStale = true;
    const world = makeWorld({
      answer: ({ path }) => {
        if (path === "/api") return json(aggregated([]));
        const stale = isStale ? { freshness: "Stale", resources: [] } : {};
        return json(
          aggregated([aggregatedGroup("a.test", ["v1"]), aggregatedGroup("b.test", ["v1"], stale)]),
        );
      },
    });
    const { discovery } = world.client;
    for (let times = 0; times < 2; times++) {
      assert.deepEqual(await namesOf(world, discovery.all()), ["a.test/v1/widgets"]);
      assert.deepEqual([...discovery.broken.keys()], ["b.test/v1"]);
    }
    assert.deepEqual(world.messages("warn"), ["API group cannot be discovered, it is left out"]);
    isStale = false;
    assert.deepEqual(await namesOf(world, discovery.all()), ["a.test/v1/widgets", "b.test/v1/widgets"]);
    assert.equal(discovery.broken.size, 0);
    const { length } = world.seen;
    await discovery.all();
    assert.equal(world.seen.length, length);
  });

  it("fails where the server as a whole refuses, and can be asked again", async () => {
    const world = makeWorld({ answer: () => refusal(403, "Forbidden") });
    await assert.rejects(
      world.client.discovery.all(),
      (error) => error instanceof ApiError && error.status === 403,
    );
    assert.equal(world.host.clock.monotonic(), 0, "403 is not retried");
    world.answer(serve());
    assert.equal((await namesOf(world, world.client.discovery.all())).length, 4);
  });
});

describe("Discovery.group()", () => {
  it("[A49] [B190] takes the lower-cased kind for an empty singular", async () => {
    const world = makeWorld({ answer: serve() });
    const [resource] = await world.client.discovery.group("example.com");
    assert.equal(resource!.singular, "widget");
    world.answer(({ path }) => json(aggregated(path === "/api" ? [] : [aggregatedGroup("a.test", ["v1"])])));
    const [aggregatedOne] = await world.client.discovery.all();
    assert.deepEqual([aggregatedOne?.group, aggregatedOne?.singular], ["a.test", "widget"]);
  });

  it("[A50] [B188] finds nothing in a group-version that answers 404, and no fault in that", async () => {
    const world = makeWorld({ answer: serve({ "/apis/example.com/v1beta1": () => refusal(404) }) });
    assert.deepEqual(await namesOf(world, world.client.discovery.group("example.com")), [
      "example.com/v1/widgets",
    ]);
    assert.deepEqual(await namesOf(world, world.client.discovery.group("nobody.test")), []);
    assert.deepEqual(world.messages("warn"), []);
    assert.equal(world.client.discovery.broken.size, 0);
  });

  it("[B189] leaves out a group-version that answers 403 or 5xx to the end, with a warning, and asks again", async () => {
    for (const code of [403, 503]) {
      const world = makeWorld({ answer: serve({ "/apis/example.com/v1beta1": () => refusal(code) }) });
      const { discovery } = world.client;
      assert.deepEqual(await namesOf(world, discovery.group("example.com")), ["example.com/v1/widgets"]);
      assert.ok(world.messages("warn").includes("API group cannot be discovered, it is left out"));
      assert.deepEqual([...discovery.broken.keys()], ["example.com/v1beta1"]);
      assert.equal(world.seen.filter(({ path }) => path.endsWith("v1beta1")).length, code === 403 ? 1 : 3);
      world.answer(serve());
      assert.equal((await namesOf(world, discovery.group("example.com"))).length, 2);
      assert.equal(discovery.broken.size, 0);
    }
  });

  it("leaves out a group that answers with something else than JSON", async () => {
    const world = makeWorld({ answer: serve({ "/apis/example.com": () => new Response("<html>") }) });
    assert.deepEqual(await namesOf(world, world.client.discovery.groups(["", "example.com"])), ["v1/pods"]);
    assert.deepEqual([...world.client.discovery.broken.keys()], ["example.com"]);
  });

  it("takes no answer that says nothing for a group without kinds, and asks again", async () => {
    for (const path of ["/apis/example.com", "/apis/example.com/v1"]) {
      for (const body of [{}, [], "maintenance", null]) {
        const world = makeWorld({ answer: serve({ [path]: () => json(body) }) });
        const { discovery } = world.client;
        assert.equal((await discovery.group("example.com")).some(({ version }) => version === "v1"), false);
        assert.equal(discovery.broken.size, 1, JSON.stringify(body));
        world.answer(serve());
        assert.equal((await discovery.group("example.com")).length, 2);
      }
    }
  });

  it("fails when the server cannot be reached, and can be asked again", async () => {
    const world = makeWorld({
      answer: () => {
        throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
      },
    });
    await assert.rejects(namesOf(world, world.client.discovery.group("example.com")), /refused/);
    world.answer(serve());
    assert.equal((await namesOf(world, world.client.discovery.group("example.com"))).length, 2);
  });

  it("asks once for all who ask at the same time", async () => {
    const world = makeWorld({ answer: serve() });
    const { discovery } = world.client;
    await namesOf(
      world,
      Promise.all([discovery.group("example.com"), discovery.group("example.com")]).then((all) => all.flat()),
    );
    assert.equal(world.seen.length, 3);
  });
});

describe("Discovery.find()", () => {
  it("finds a kind in a version, or in the preferred one", async () => {
    const world = makeWorld({ answer: serve() });
    const { discovery } = world.client;
    assert.equal((await discovery.find("example.com", "v1beta1", "widgets"))?.version, "v1beta1");
    assert.equal((await discovery.find("example.com", undefined, "widgets"))?.version, "v1");
    assert.equal(await discovery.find("example.com", "v2", "widgets"), undefined);
    assert.equal(await discovery.find("example.com", "v1", "gadgets"), undefined);
    assert.deepEqual((await discovery.find("", "v1", "pods"))?.subresources, ["log"]);
  });
});

describe("Discovery.refresh()", () => {
  it("asks again for one group, and leaves the others", async () => {
    const world = makeWorld({ answer: serve() });
    const { discovery } = world.client;
    await discovery.groups(["", "example.com"]);
    const { length } = world.seen;
    world.answer(serve({ "/apis/example.com": () => refusal(404) }));
    assert.deepEqual(await discovery.refresh("example.com"), []);
    assert.equal((await discovery.group("")).length, 1);
    assert.equal(world.seen.length, length + 1);
  });
});
