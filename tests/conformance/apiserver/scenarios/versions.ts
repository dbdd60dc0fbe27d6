/**
 * Scenarios of kinds whose versions have schemas of their own, and no webhook that converts: what each version shows, keeps, fills in and owns.
 */

import assert from "node:assert/strict";
import { type Answer, APPLY, JSON_PATCH, MERGE, type Session, TABLE } from "../session.ts";
import type { Scenario } from "./scenario.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

interface Version {
  readonly spec: Answer;
  readonly status?: Answer;
  readonly more?: Answer;
}

/** Returns a definition of ships; the last version is the one in which they are kept. */
function ships(group: string, versions: Readonly<Record<string, Version>>): Answer {
  const names = Object.keys(versions);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `ships.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "ships", kind: "Ship" },
      versions: Object.entries(versions).map(([name, { spec, status = {}, more }]) => ({
        name,
        served: true,
        storage: name === names.at(-1),
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: spec },
              status: { type: "object", properties: status },
            },
          },
        },
        ...more,
      })),
    },
  };
}

const TEXT = { type: "string" };
const preset = (value: string) => ({ ...TEXT, default: value });

function pathsOf(group: string): Record<"v1" | "v2", string> {
  const [v1, v2] = ["v1", "v2"].map((version) => `/apis/${group}/${version}/namespaces/default/ships`);
  return { v1: v1 ?? "", v2: v2 ?? "" };
}

function ship(group: string, version: string, name: string, spec: Answer): Answer {
  return { apiVersion: `${group}/${version}`, kind: "Ship", metadata: { name }, spec };
}

async function defineShips(api: Session, definition: Answer): Promise<Record<"v1" | "v2", string>> {
  await api.define(definition);
  const paths = pathsOf(definition.spec.group);
  await api.until(async () => (await api.peek("GET", paths.v2)).code === 200, "both versions are served");
  return paths;
}

/** Reads an object in both versions. */
async function look(api: Session, paths: Record<"v1" | "v2", string>, name: string): Promise<Answer[]> {
  const found = [];
  for (const path of Object.values(paths)) found.push(await api.ok("GET", `${path}/${name}`));
  return found;
}

/** In v1 the field `sail` is known, in v2 the field `engine`; each has defaults of its own. */
function sailing(group: string): Answer {
  return ships(group, {
    v1: {
      spec: { flag: TEXT, sail: TEXT, crew: preset("one"), cook: preset("one") },
      status: { port: TEXT, pilot: preset("one"), first: preset("one") },
    },
    v2: {
      spec: { flag: TEXT, engine: TEXT, crew: preset("two"), fuel: preset("two") },
      status: { port: TEXT, pilot: preset("two"), second: preset("two") },
    },
  });
}

export const VERSIONS: readonly Scenario[] = [{
  name: "tells in OpenAPI by which fields each version of a kind can be selected",
  async run(api) {
    const group = "selectable.lotse.dev";
    const version = (...fields: string[]) => ({
      spec: Object.fromEntries(fields.map((field) => [field, TEXT])),
      more: fields.length === 0
        ? {}
        : { selectableFields: fields.map((field) => ({ jsonPath: `.spec.${field}` })) },
    });
    await defineShips(api, ships(group, { v1: version("flag", "sail"), v2: version() }));
    const schemaOf = async (path: string, name: string) => {
      const { body } = await api.peek("GET", path);
      return (body.definitions ?? body.components?.schemas)?.[`dev.lotse.selectable.${name}.Ship`];
    };
    for (const name of ["v1", "v2"]) {
      for (const path of ["/openapi/v2", `/openapi/v3/apis/${group}/${name}`]) {
        await api.until(async () => await schemaOf(path, name) !== undefined, "the schema is published");
        api.note(path, (await schemaOf(path, name))["x-kubernetes-selectable-fields"]);
      }
    }
    await api.ok("DELETE", `${DEFINITIONS}/ships.${group}`);
  },
}, {
  name: "shows and keeps objects by the schemas of the versions in which they are asked for and kept",
  accepted: [{
    line: /invalid: patch|Invalid value: .*strict decoding/,
    because: "ours prints the object in another order",
  }],
  async run(api) {
    const group = "sails.lotse.dev";
    const paths = await defineShips(api, sailing(group));
    await api.ok("POST", paths.v1, ship(group, "v1", "a", { flag: "a", sail: "big", engine: "lost" }));
    const [, second] = await look(api, paths, "a");
    assert.deepEqual(second.spec, { flag: "a", crew: "one", fuel: "two" });
    await api.ok("POST", paths.v2, ship(group, "v2", "b", { flag: "b", sail: "lost", engine: "big" }));
    const [first] = await look(api, paths, "b");
    assert.deepEqual(first.spec, { flag: "b", crew: "two" });
    await api.ok("PATCH", `${paths.v1}/b`, { spec: { flag: "c" } }, MERGE);
    assert.equal((await look(api, paths, "b"))[1].spec.engine, undefined);
    await api.ok("PATCH", `${paths.v2}/b`, { spec: { engine: "small" } }, MERGE);
    await look(api, paths, "b");
    await api.refused(
      422,
      "PATCH",
      `${paths.v1}/b`,
      [{ op: "test", path: "/spec/engine", value: "small" }],
      JSON_PATCH,
    );
    await api.call("PATCH", `${paths.v1}/b?fieldValidation=Strict`, { spec: { engine: "x" } }, MERGE);
    await api.call("PATCH", `${paths.v2}/b?fieldValidation=Strict`, { spec: { flag: "d" } }, MERGE);
    await api.ok("GET", paths.v1);
    await api.ok("GET", paths.v2);
    await api.ok("DELETE", `${paths.v1}/a`);
    await api.ok("DELETE", `${paths.v2}/b`);
    await api.ok("DELETE", `${DEFINITIONS}/ships.${group}`);
  },
}, {
  name: "selects by fields as the version that is asked for shows them",
  async run(api) {
    const group = "selecting.lotse.dev";
    const definition = sailing(group);
    const [v1, v2] = definition.spec.versions;
    v1.selectableFields = [{ jsonPath: ".spec.crew" }, { jsonPath: ".spec.cook" }];
    v2.selectableFields = [{ jsonPath: ".spec.fuel" }];
    const paths = await defineShips(api, definition);
    const { resourceVersion } = (await api.peek("GET", paths.v2)).body.metadata;
    await api.ok("POST", paths.v1, ship(group, "v1", "a", { flag: "a" }));
    await api.ok("POST", paths.v2, ship(group, "v2", "b", { flag: "b", fuel: "oil" }));
    const namesIn = async (path: string) =>
      (await api.ok("GET", path)).items.map(({ metadata }: Answer) => metadata.name);
    assert.deepEqual(await namesIn(`${paths.v2}?fieldSelector=spec.fuel%3Dtwo`), ["a"]);
    await namesIn(`${paths.v1}?fieldSelector=spec.cook%3Done`);
    await namesIn(`${paths.v1}?fieldSelector=spec.crew%3Dtwo`);
    const watch = await api.watch(
      `${paths.v2}?watch=true&resourceVersion=${resourceVersion}&fieldSelector=spec.fuel%3Dtwo`,
    );
    await api.ok("PATCH", `${paths.v2}/b`, { spec: { fuel: null } }, MERGE);
    await watch.take(2);
    await watch.stop();
    await api.ok("DELETE", `${DEFINITIONS}/ships.${group}`);
  },
}, {
  name: "fills in nothing but the status when the status is written in another version",
  async run(api) {
    const group = "statuses.lotse.dev";
    const paths = await defineShips(api, sailing(group));
    await api.ok("POST", paths.v2, ship(group, "v2", "a", { flag: "a", engine: "big" }));
    const before = await api.ok("GET", `${paths.v1}/a`);
    const put = await api.ok("PUT", `${paths.v1}/a/status`, {
      ...before,
      spec: { flag: "z" },
      status: { port: "Kiel" },
    });
    assert.deepEqual(put.spec, { flag: "a", crew: "two" });
    await look(api, paths, "a");
    await api.ok("PATCH", `${paths.v2}/a/status`, { status: { port: "Riga" } }, MERGE);
    await look(api, paths, "a");
    await api.ok("PATCH", `${paths.v1}/a/status`, { status: { port: "Oslo" } }, MERGE);
    await look(api, paths, "a");
    const applied = {
      apiVersion: `${group}/v1`,
      kind: "Ship",
      metadata: { name: "a" },
      status: { pilot: "Ada" },
    };
    await api.call("PATCH", `${paths.v1}/a/status?fieldManager=pilot`, applied, APPLY);
    await look(api, paths, "a");
    await api.ok("DELETE", `${paths.v1}/a`);
    await api.ok("DELETE", `${DEFINITIONS}/ships.${group}`);
  },
}, {
  name: "forgets who owns what where the schema of an owner's version does not fit",
  async run(api) {
    const group = "owners.lotse.dev";
    const paths = await defineShips(api, sailing(group));
    const by = (manager: string) => `?fieldManager=${manager}`;
    await api.ok("POST", paths.v1 + by("one"), ship(group, "v1", "a", { flag: "a" }));
    await api.ok("PATCH", `${paths.v2}/a${by("two")}`, { spec: { flag: "b" } }, MERGE);
    await api.ok("PATCH", `${paths.v2}/a${by("two")}`, { spec: { engine: "big" } }, MERGE);
    await api.ok("PATCH", `${paths.v2}/a${by("three")}`, { spec: { engine: "small" } }, MERGE);
    await api.ok("PATCH", `${paths.v1}/a${by("one")}`, { spec: { flag: "c" } }, MERGE);
    await api.ok("PATCH", `${paths.v1}/a${by("four")}`, { spec: { sail: "big" } }, MERGE);
    await api.ok("PATCH", `${paths.v2}/a${by("two")}`, { metadata: { labels: { a: "b" } } }, MERGE);
    await api.ok("PATCH", `${paths.v1}/a${by("five")}`, { metadata: { labels: { a: "c" } } }, MERGE);
    const config = (version: string, spec: Answer) => ship(group, version, "b", spec);
    await api.call("PATCH", `${paths.v1}/b${by("one")}`, config("v1", { flag: "a", cook: "Ada" }), APPLY);
    await api.call("PATCH", `${paths.v2}/b${by("two")}`, config("v2", { engine: "big" }), APPLY);
    await api.call("PATCH", `${paths.v1}/b${by("one")}`, config("v1", { flag: "b" }), APPLY);
    await api.call("PATCH", `${paths.v2}/b${by("one")}`, config("v2", { flag: "c" }), APPLY);
    await look(api, paths, "b");
    await api.ok("DELETE", paths.v1);
    await api.ok("DELETE", `${DEFINITIONS}/ships.${group}`);
  },
}, {
  name: "keeps the owners of versions with equal schemas apart, and forgets those of versions that are gone",
  async run(api) {
    const group = "equal.lotse.dev";
    const same = { spec: { flag: TEXT, crew: TEXT } };
    const definition = ships(group, { v1: same, v2: same });
    const paths = await defineShips(api, definition);
    const by = (manager: string) => `?fieldManager=${manager}`;
    await api.ok("POST", paths.v1 + by("one"), ship(group, "v1", "a", { flag: "a", crew: "a" }));
    await api.ok("PATCH", `${paths.v2}/a${by("one")}`, { spec: { flag: "b" } }, MERGE);
    const config = (version: string, spec: Answer) => ship(group, version, "a", spec);
    await api.refused(409, "PATCH", `${paths.v2}/a${by("two")}`, config("v2", { flag: "c" }), APPLY);
    await api.ok("PATCH", `${paths.v2}/a${by("two")}&force=true`, config("v2", { flag: "c" }), APPLY);
    await api.ok("PATCH", `${paths.v1}/a${by("two")}`, config("v1", { flag: "d" }), APPLY);
    const [v1, v2] = definition.spec.versions;
    const path = `${DEFINITIONS}/ships.${group}`;
    await api.ok("PATCH", path, { spec: { versions: [{ ...v1, served: false }, v2] } }, MERGE);
    await api.until(async () => (await api.peek("GET", paths.v1)).code === 404, "v1 is served no more");
    await api.ok("PATCH", `${paths.v2}/a${by("three")}`, { spec: { crew: "b" } }, MERGE);
    await api.ok("PATCH", path, { spec: { versions: [v2] } }, MERGE);
    await api.pause(2);
    await api.ok("PATCH", `${paths.v2}/a${by("four")}`, { spec: { crew: "c" } }, MERGE);
    await api.ok("DELETE", path);
  },
}, {
  name: "writes objects anew that are kept in another version than the definition wants",
  accepted: [{ line: /\.status\.(conditions|storedVersions)/, because: "ours changes the status at once" }],
  async run(api) {
    const group = "moved.lotse.dev";
    const definition = ships(group, {
      v1: { spec: { flag: TEXT, sail: TEXT, cook: preset("one") } },
      v2: { spec: { flag: TEXT, engine: TEXT, fuel: preset("two") } },
    });
    const paths = await defineShips(api, definition);
    await api.ok("POST", paths.v2, ship(group, "v2", "a", { flag: "a", engine: "big" }));
    const before = (await api.peek("GET", `${paths.v2}/a`)).body.metadata.resourceVersion;
    const version = async () => (await api.peek("GET", `${paths.v2}/a`)).body.metadata.resourceVersion;
    await api.ok("PATCH", `${paths.v2}/a`, {}, MERGE);
    const [v1, v2] = definition.spec.versions;
    const path = `${DEFINITIONS}/ships.${group}`;
    await api.ok(
      "PATCH",
      path,
      { spec: { versions: [{ ...v1, storage: true }, { ...v2, storage: false }] } },
      MERGE,
    );
    await api.pause(2);
    await look(api, paths, "a");
    const watch = await api.watch(`${paths.v1}?watch=true&resourceVersion=0`);
    await watch.take(1);
    await api.ok("PATCH", `${paths.v2}/a`, {}, MERGE);
    assert.notEqual(await version(), before);
    await watch.take(1);
    await watch.stop();
    await look(api, paths, "a");
    await api.ok("DELETE", path);
  },
}, {
  name: "watches and prints a kind in each of its versions as that version has it",
  async run(api) {
    const group = "columns.lotse.dev";
    const column = (name: string, field: string) => ({
      additionalPrinterColumns: [{ name, type: "string", jsonPath: `.spec.${field}` }],
    });
    const definition = ships(group, {
      v1: { spec: { flag: TEXT, sail: TEXT, crew: preset("one") }, more: column("Sail", "sail") },
      v2: { spec: { flag: TEXT, engine: TEXT, crew: preset("two") }, more: column("Engine", "engine") },
    });
    const paths = await defineShips(api, definition);
    const { resourceVersion } = (await api.peek("GET", paths.v1)).body.metadata;
    const watches = [];
    for (const path of Object.values(paths)) {
      watches.push(await api.watch(`${path}?watch=true&resourceVersion=${resourceVersion}`));
    }
    await api.ok("POST", paths.v1, ship(group, "v1", "a", { flag: "a", sail: "big" }));
    await api.ok("POST", paths.v2, ship(group, "v2", "b", { flag: "b", engine: "big" }));
    await api.ok("PATCH", `${paths.v1}/b`, { spec: { flag: "c" } }, MERGE);
    await api.ok("PATCH", `${paths.v2}/b`, { spec: { engine: "c" } }, MERGE);
    for (const path of Object.values(paths)) await api.ok("GET", path, undefined, TABLE);
    await api.ok("DELETE", `${paths.v2}/b`);
    for (const watch of watches) {
      await watch.take(5);
      await watch.stop();
    }
    await api.ok("DELETE", `${DEFINITIONS}/ships.${group}`);
  },
}];
