/**
 * Scenarios of definitions with several versions: webhooks that convert, versions that were stored, and names that are taken.
 */

import assert from "node:assert/strict";
import { type Answer, APPLY, MERGE, type Session } from "../session.ts";
import type { Scenario } from "./scenario.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** In v1 a boat has `spec.size: "3x4"`, in v2 `spec.length` and `spec.width`. */
function boats(group: string, clientConfig: Answer): Answer {
  const version = (name: string, properties: Answer, storage: boolean) => ({
    name,
    served: true,
    storage,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: { spec: { type: "object", properties }, status: { type: "object" } },
      },
    },
  });
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `boats.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "boats", kind: "Boat" },
      conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } },
      versions: [
        version("v1", { size: { type: "string" } }, true),
        version("v2", { length: { type: "integer", minimum: 1 }, width: { type: "integer" } }, false),
      ],
    },
  };
}

function convert(object: Answer, desired: string): Answer {
  const { spec = {}, ...rest } = object;
  const [length, width] = String(spec.size ?? `${spec.length}x${spec.width}`).split("x").map(Number);
  return {
    ...rest,
    apiVersion: desired,
    spec: desired.endsWith("/v2") ? { length, width } : { size: `${length}x${width}` },
  };
}

function answer({ request }: Answer, more: Answer = {}): Answer {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    response: {
      uid: request.uid,
      result: { status: "Success" },
      convertedObjects: request.objects.map((object: Answer) => convert(object, request.desiredAPIVersion)),
      ...more,
    },
  };
}

/** Objects that are converted, but for their metadata. */
function marked(review: Answer, metadata: Answer): Answer[] {
  return answer(review).response.convertedObjects.map((object: Answer) => ({
    ...object,
    metadata: { ...object.metadata, ...metadata },
  }));
}

function boat(group: string, version: string, name: string, spec: Answer): Answer {
  return { apiVersion: `${group}/${version}`, kind: "Boat", metadata: { name }, spec };
}

async function conditions(api: Session, name: string): Promise<Record<string, Answer>> {
  const { body } = await api.peek("GET", `${DEFINITIONS}/${name}`);
  return Object.fromEntries((body.status?.conditions ?? []).map((found: Answer) => [found.type, found]));
}

export const CONVERSION: readonly Scenario[] = [{
  name: "converts objects between versions by a webhook, in reads, lists, watches and writes",
  async run(api) {
    const group = "converted.lotse.dev";
    await using served = await api.serveHook((review) => answer(review));
    await api.define(boats(group, served.config("/convert")));
    const [one, two] = ["v1", "v2"].map((version) =>
      `/apis/${group}/${version}/namespaces/default/boats`
    ) as [string, string];
    await api.until(async () => (await api.peek("GET", two)).code === 200, "both versions are served");
    await api.ok("POST", one, boat(group, "v1", "a", { size: "3x4" }));
    const seen = await api.ok("GET", `${two}/a`);
    assert.deepEqual(seen.spec, { length: 3, width: 4 });
    await api.ok("POST", two, boat(group, "v2", "b", { length: 5, width: 6 }));
    assert.equal((await api.ok("GET", `${one}/b`)).spec.size, "5x6");
    await api.refused(422, "POST", two, boat(group, "v2", "c", { length: 0, width: 1 }));
    await api.ok("PATCH", `${two}/a`, { spec: { width: 9 } }, MERGE);
    assert.equal((await api.ok("GET", `${one}/a`)).spec.size, "3x9");
    await api.ok("PUT", `${two}/b`, {
      ...(await api.peek("GET", `${two}/b`)).body,
      spec: { length: 7, width: 7 },
    });
    const list = await api.ok("GET", two);
    assert.deepEqual(list.items.map(({ spec }: Answer) => spec), [{ length: 3, width: 9 }, {
      length: 7,
      width: 7,
    }]);
    const { resourceVersion } = list.metadata;
    const watch = await api.watch(`${two}?watch=true&resourceVersion=${resourceVersion}`);
    await api.ok("PATCH", `${one}/a`, { spec: { size: "1x1" } }, MERGE);
    await api.ok("DELETE", `${one}/b`);
    const events = await watch.take(2);
    assert.deepEqual(events.map(({ object }: Answer) => object.spec), [{ length: 1, width: 1 }, {
      length: 7,
      width: 7,
    }]);
    await watch.stop();
    await api.ok("DELETE", two);
    await api.ok("DELETE", `${DEFINITIONS}/boats.${group}`);
  },
}, {
  name: "selects by the fields and labels of the version that is asked for",
  accepted: [{
    line: /managedFields\.[01]\.(apiVersion|fieldsV1)/,
    because:
      "owners stand in the order of their seconds, and only one of the servers may have begun a new one meanwhile",
  }],
  async run(api) {
    const group = "selected.lotse.dev";
    await using served = await api.serveHook((review) => answer(review));
    const definition = boats(group, served.config("/convert"));
    const [v1, v2] = definition.spec.versions;
    v1.selectableFields = [{ jsonPath: ".spec.size" }];
    v2.selectableFields = [{ jsonPath: ".spec.length" }, { jsonPath: ".spec.width" }];
    await api.define(definition);
    const [one, two] = ["v1", "v2"].map((version) =>
      `/apis/${group}/${version}/namespaces/default/boats`
    ) as [string, string];
    await api.until(async () => (await api.peek("GET", two)).code === 200, "both versions are served");
    const { resourceVersion } = (await api.peek("GET", two)).body.metadata;
    await api.ok("POST", one, boat(group, "v1", "a", { size: "3x4" }));
    await api.ok("POST", two, boat(group, "v2", "b", { length: 3, width: 6 }));
    await api.ok("POST", two, boat(group, "v2", "c", { length: 5, width: 6 }));
    const namesIn = async (path: string) =>
      (await api.ok("GET", path)).items.map(({ metadata }: Answer) => metadata.name);
    assert.deepEqual(await namesIn(`${two}?fieldSelector=spec.length%3D3`), ["a", "b"]);
    assert.deepEqual(await namesIn(`${two}?fieldSelector=spec.length%3D3&limit=1`), ["a"]);
    assert.deepEqual(await namesIn(`${two}?fieldSelector=spec.length%3D3,spec.width!%3D4`), ["b"]);
    assert.deepEqual(await namesIn(`${two}?fieldSelector=metadata.name%3Dc,spec.width%3D6`), ["c"]);
    assert.deepEqual(await namesIn(`${one}?fieldSelector=spec.size%3D5x6`), ["c"]);
    await api.refused(400, "GET", `${two}?fieldSelector=spec.size%3D5x6`);
    const watch = await api.watch(
      `${two}?watch=true&resourceVersion=${resourceVersion}&fieldSelector=spec.length%3D3`,
    );
    await api.ok("PATCH", `${one}/c`, { spec: { size: "3x1" } }, MERGE);
    await api.ok("PATCH", `${one}/a`, { spec: { size: "4x4" } }, MERGE);
    const events = await watch.take(4);
    assert.deepEqual(
      events.map(({ type, object }: Answer) => [type, object.metadata.name, object.spec.length]),
      [["ADDED", "a", 3], ["ADDED", "b", 3], ["ADDED", "c", 3], ["DELETED", "a", 3]],
    );
    await watch.stop();
    await api.ok("DELETE", `${two}?fieldSelector=spec.length%3D3`);
    assert.deepEqual(await namesIn(one), ["a"]);
    await api.ok("DELETE", `${DEFINITIONS}/boats.${group}`);
  },
}, {
  name:
    "keeps what a webhook converts whole when the garbage collector edits it, in a version that is not served",
  async run(api) {
    const group = "collected.lotse.dev";
    await using served = await api.serveHook((review) => answer(review));
    const definition = boats(group, served.config("/convert"));
    const [v1, v2] = definition.spec.versions;
    definition.spec.versions = [v2, { ...v1, served: false }];
    await api.define(definition);
    const path = `/apis/${group}/v2/namespaces/default/boats`;
    const ownerReferences = [];
    for (const name of ["left", "right"]) {
      const owner = boat(group, "v2", name, { length: 1, width: 1 });
      const { metadata: { uid } } = await api.ok("POST", path, owner);
      ownerReferences.push({ apiVersion: `${group}/v2`, kind: "Boat", name, uid });
    }
    const owned = boat(group, "v2", "owned", { length: 3, width: 4 });
    await api.ok("POST", path, { ...owned, metadata: { ...owned.metadata, ownerReferences } });
    await api.pause(2);
    await api.ok("DELETE", `${path}/left`);
    await api.until(
      async () => (await api.peek("GET", `${path}/owned`)).body.metadata.ownerReferences.length === 1,
      "the reference is gone",
    );
    assert.deepEqual((await api.ok("GET", `${path}/owned`)).spec, { length: 3, width: 4 });
    await api.ok("DELETE", `${DEFINITIONS}/boats.${group}`);
  },
}, {
  name: "compares the owners of objects that a webhook converts in the versions of each",
  async run(api) {
    const group = "owned.lotse.dev";
    let broken = false;
    await using served = await api.serveHook((review) =>
      answer(review, broken ? { result: { status: "Failure", message: "cannot do it" } } : {})
    );
    await api.define(boats(group, served.config("/convert")));
    const [one, two] = ["v1", "v2"].map((version) =>
      `/apis/${group}/${version}/namespaces/default/boats`
    ) as [string, string];
    await api.until(async () => (await api.peek("GET", two)).code === 200, "both versions are served");
    const by = (manager: string) => `?fieldManager=${manager}`;
    await api.ok("PATCH", `${one}/a${by("one")}`, boat(group, "v1", "a", { size: "3x4" }), APPLY);
    const wide = boat(group, "v2", "a", { width: 9 });
    await api.refused(409, "PATCH", `${two}/a${by("two")}`, wide, APPLY);
    await api.ok("PATCH", `${two}/a${by("two")}&force=true`, wide, APPLY);
    await api.ok("PATCH", `${one}/a${by("three")}`, { metadata: { labels: { a: "b" } } }, MERGE);
    await api.ok("PATCH", `${one}/a${by("three")}`, { spec: { size: "5x5" } }, MERGE);
    await api.ok("PATCH", `${two}/a${by("four")}`, { spec: { length: 6 } }, MERGE);
    await api.ok("PATCH", `${two}/a${by("four")}`, boat(group, "v2", "a", { length: 6 }), APPLY);
    await api.ok("PATCH", `${one}/a${by("one")}&force=true`, boat(group, "v1", "a", { size: "7x7" }), APPLY);
    broken = true;
    await api.call("PATCH", `${one}/a${by("one")}`, boat(group, "v1", "a", { size: "8x8" }), APPLY);
    await api.call("PATCH", `${one}/a${by("five")}`, { spec: { size: "9x9" } }, MERGE);
    broken = false;
    await api.ok("GET", `${one}/a`);
    await api.ok("DELETE", `${DEFINITIONS}/boats.${group}`);
  },
}, {
  name: "scales what a webhook converts, by the path of the version that is asked for",
  accepted: [{ line: /managedFields/, because: "the real server forgets who has scaled such an object" }],
  async run(api) {
    const group = "scaled.lotse.dev";
    await using served = await api.serveHook((review) => answer(review));
    const definition = boats(group, served.config("/convert"));
    const [, v2] = definition.spec.versions;
    v2.subresources = { scale: { specReplicasPath: ".spec.length", statusReplicasPath: ".status.length" } };
    await api.define(definition);
    const [one, two] = ["v1", "v2"].map((version) =>
      `/apis/${group}/${version}/namespaces/default/boats`
    ) as [string, string];
    await api.until(async () => (await api.peek("GET", two)).code === 200, "both versions are served");
    await api.ok("POST", one, boat(group, "v1", "a", { size: "3x4" }));
    const scale = await api.ok("GET", `${two}/a/scale`);
    assert.equal(scale.spec.replicas, 3);
    await api.refused(404, "GET", `${one}/a/scale`);
    await api.ok("PUT", `${two}/a/scale`, { ...scale, spec: { replicas: 5 } });
    assert.equal((await api.ok("GET", `${one}/a`)).spec.size, "5x4");
    await api.refused(409, "PUT", `${two}/a/scale`, { ...scale, spec: { replicas: 6 } });
    await api.ok("PATCH", `${two}/a/scale?fieldManager=scaler`, { spec: { replicas: 7 } }, MERGE);
    await api.ok("GET", `${one}/a`);
    await api.refused(422, "PATCH", `${two}/a/scale`, { spec: { replicas: -1 } }, MERGE);
    await api.ok("DELETE", `${DEFINITIONS}/boats.${group}`);
  },
}, {
  name: "tells what is wrong with a conversion",
  async run(api) {
    const group = "misconverted.lotse.dev";
    const faults: Record<string, (review: Answer) => unknown> = {
      failed: (review) => answer(review, { result: { status: "Failure", message: "cannot do it" } }),
      silent: (review) => answer(review, { result: {} }),
      few: (review) => answer(review, { convertedObjects: [] }),
      foreign: (review) => answer(review, { uid: "other" }),
      nothing: () => ({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" }),
      broken: () => new Response("it broke", { status: 500 }),
      same: (review) => answer(review, { convertedObjects: review.request.objects }),
      ...Object.fromEntries(
        [{ labels: { a: 1 } }, { labels: "x" }, { annotations: { a: [] } }, { annotations: ["a"] }].map((
          metadata,
          number,
        ) => [
          `metadata${number}`,
          (review: Answer) => answer(review, { convertedObjects: marked(review, metadata) }),
        ]),
      ),
    };
    let fault = "";
    await using served = await api.serveHook((review) => (faults[fault] ?? answer)(review));
    await api.define(boats(group, served.config("/convert")));
    const [one, two] = ["v1", "v2"].map((version) =>
      `/apis/${group}/${version}/namespaces/default/boats`
    ) as [string, string];
    await api.until(async () => (await api.peek("GET", two)).code === 200, "both versions are served");
    await api.ok("POST", one, boat(group, "v1", "a", { size: "3x4" }));
    for (fault of Object.keys(faults)) await api.refused(500, "GET", `${two}/a`);
    fault = "";
    await api.ok("GET", `${one}/a`);
    await api.ok("DELETE", `${DEFINITIONS}/boats.${group}`);
  },
}, {
  name: "tells in writes and deletions that a conversion fails",
  accepted: [{ line: /\.body\.message/, because: "the real server has converted what is in its cache" }],
  async run(api) {
    const group = "unconverted.lotse.dev";
    let broken = false;
    await using served = await api.serveHook((review) =>
      answer(review, broken ? { result: { status: "Failure", message: "cannot do it" } } : {})
    );
    await api.define(boats(group, served.config("/convert")));
    const [one, two] = ["v1", "v2"].map((version) =>
      `/apis/${group}/${version}/namespaces/default/boats`
    ) as [string, string];
    await api.until(async () => (await api.peek("GET", two)).code === 200, "both versions are served");
    await api.ok("POST", one, boat(group, "v1", "a", { size: "3x4" }));
    await api.ok("POST", one, boat(group, "v1", "b", { size: "3x4" }));
    broken = true;
    await api.refused(500, "POST", two, boat(group, "v2", "c", { length: 1, width: 1 }));
    await api.refused(500, "PATCH", `${two}/a`, { spec: { length: 2 } }, MERGE);
    await api.refused(500, "PATCH", `${two}/a?fieldManager=x`, boat(group, "v2", "a", { length: 2 }), APPLY);
    await api.refused(500, "PUT", `${two}/a`, boat(group, "v2", "a", { length: 2, width: 2 }));
    await api.call("DELETE", `${two}/a`);
    await api.call("DELETE", two);
    await api.ok("GET", one);
    broken = false;
    await api.ok("DELETE", `${DEFINITIONS}/boats.${group}`);
  },
}, {
  name: "keeps versions that were stored, until their objects are migrated",
  accepted: [{
    line: /\.status\.|managedFields|resourceVersion/,
    because: "ours changes the status at once",
  }],
  async run(api) {
    const group = "stored.lotse.dev";
    const definition = boats(group, { url: "https://127.0.0.1:1/" });
    delete definition.spec.conversion;
    await api.define(definition);
    const path = `${DEFINITIONS}/boats.${group}`;
    const [v1, v2] = definition.spec.versions;
    const versions = [{ ...v1, storage: false }, { ...v2, storage: true }];
    await api.ok("PATCH", path, { spec: { versions } }, MERGE);
    await api.until(
      async () => (await api.peek("GET", path)).body.status.storedVersions.length === 2,
      "both versions were stored",
    );
    await api.refused(422, "PATCH", path, { spec: { versions: [versions[1]] } }, MERGE);
    await api.ok("PATCH", `${path}/status`, { status: { storedVersions: ["v2"] } }, MERGE);
    await api.ok("PATCH", path, { spec: { versions: [versions[1]] } }, MERGE);
    await api.ok("DELETE", path);
  },
}, {
  name: "does not establish definitions whose names are taken",
  accepted: [{ line: /\.status\.(acceptedNames|conditions)/, because: "ours judges names at once" }],
  async run(api) {
    const group = "names.lotse.dev";
    const definition = (plural: string, names: Answer) => {
      const made = boats(group, { url: "https://127.0.0.1:1/" });
      delete made.spec.conversion;
      return {
        ...made,
        metadata: { name: `${plural}.${group}` },
        spec: { ...made.spec, names: { plural, ...names } },
      };
    };
    await api.define(definition("boats", { kind: "Boat", shortNames: ["bt"] }));
    await api.ok(
      "POST",
      DEFINITIONS,
      definition("ships", { kind: "Boat", singular: "ship", shortNames: ["bt"] }),
    );
    await api.until(async () => "NamesAccepted" in await conditions(api, `ships.${group}`), "a judgement");
    const found = await conditions(api, `ships.${group}`);
    api.note("conditions", [found.NamesAccepted, found.Established]);
    assert.equal(found.NamesAccepted.status, "False");
    assert.equal((await api.peek("GET", `/apis/${group}/v1/namespaces/default/ships`)).code, 404);
    await api.ok("DELETE", `${DEFINITIONS}/boats.${group}`);
    await api.until(
      async () => (await conditions(api, `ships.${group}`)).Established?.status === "True",
      "the names are free",
    );
    await api.until(
      async () => (await api.peek("GET", `/apis/${group}/v1/namespaces/default/ships`)).code === 200,
      "it is served",
    );
    await api.ok("DELETE", `${DEFINITIONS}/ships.${group}`);
  },
}];
