/** What options say where they are given twice, are of the wrong type, or ask for a form that the answer cannot have. */

import assert from "node:assert/strict";
import { type Answer, MERGE, type Session, TABLE } from "../session.ts";
import { configMap, type Scenario } from "./scenario.ts";

const as = (form: string) => ({ accept: `application/json;as=${form};v=v1;g=meta.k8s.io` });

/** NB: what was orphaned may be going just now, and then there is none. */
async function renew(api: Session, path: string): Promise<void> {
  const made = { ...configMap("a"), metadata: { name: "a", labels: { mine: "yes" } } };
  await api.until(async () => {
    await api.peek("PATCH", `${path}/a`, { metadata: { finalizers: null } }, MERGE);
    await api.peek("POST", path, made);
    const { code, body } = await api.peek("GET", `${path}/a`);
    return code === 200 && body.metadata.deletionTimestamp === undefined;
  }, "it is there anew");
}

/** Deletes one object, then those of a selector; who is refused leaves it. */
async function remove(api: Session, path: string, options: { query?: string; body?: Answer }): Promise<void> {
  for (const place of ["/a?", "?labelSelector=mine&"]) {
    await renew(api, path);
    const { code } = await api.call("DELETE", `${path}${place}${options.query ?? ""}`, options.body);
    // What is to be orphaned stays for as long as the collector takes.
    if (code >= 400) await api.ok("GET", `${path}/a`);
  }
}

export const OPTIONS: readonly Scenario[] = [
  {
    name: "reads options of deletions as a body says, or else as the query does",
    async run(api) {
      await api.namespace("options-delete");
      const path = "/api/v1/namespaces/options-delete/configmaps";
      const bodies: readonly Answer[] = [
        { propagationPolicy: "" },
        { propagationPolicy: "x", orphanDependents: true, dryRun: ["x"] },
        { gracePeriodSeconds: 1.5 },
        { preconditions: 1 },
        { preconditions: { resourceVersion: 1 } },
        { dryRun: "All" },
        { orphanDependents: "true" },
        { kind: "Foo" },
        { kind: "ConfigMap", apiVersion: "v1" },
        "null",
      ];
      for (const body of bodies) await remove(api, path, { body });
      const queries = [
        "orphanDependents=x",
        "orphanDependents=",
        "orphanDependents=0",
        "propagationPolicy=",
        "gracePeriodSeconds=",
        "dryRun=All&dryRun=All",
        "dryRun=x",
        "uid=x",
      ];
      for (const query of queries) {
        await remove(api, path, { query });
        await remove(api, path, { query, body: {} });
      }
      await renew(api, path);
      const ofOne = await api.refused(409, "DELETE", `${path}/a?resourceVersion=1`);
      assert.match(ofOne.message, /ResourceVersion in the precondition/);
      await api.ok("DELETE", `${path}/a?resourceVersion=1`, { propagationPolicy: "Background" });
    },
  },
  {
    name: "reads numbers in queries as Go does",
    async run(api) {
      await api.namespace("options-numbers");
      const path = "/api/v1/namespaces/options-numbers/secrets";
      await api.ok("POST", path, { metadata: { name: "a" } });
      await api.ok("POST", path, { metadata: { name: "b" } });
      const numbers = [
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "+1",
        "007",
        "1e3",
      ];
      for (const number of numbers) {
        await api.call("GET", `${path}?limit=${number}`);
        await api.call("GET", `${path}?timeoutSeconds=${number}`);
      }
      for (const version of ["9223372036854775808", "18446744073709551616", "+1", "1.0"]) {
        for (const query of ["", "&limit=1", "&resourceVersionMatch=Exact"]) {
          await api.call("GET", `${path}?resourceVersion=${version}${query}`);
        }
      }
      await api.refused(400, "GET", `${path}?watch=true&limit=x`);
      await api.refused(400, "GET", `${path}?limit=x&resourceVersionMatch=Exact`);
      await api.refused(500, "GET", `${path}?watch=true&resourceVersion=18446744073709551616`);
    },
  },
  {
    name: "refuses options of watches and pages that do not go together",
    async run(api) {
      await api.namespace("options-pages");
      const path = "/api/v1/namespaces/options-pages/secrets";
      for (const name of ["a", "b", "c"]) await api.ok("POST", path, { metadata: { name } });
      await api.refused(422, "GET", `${path}?watch=true&continue=x`);
      await api.refused(422, "GET", `${path}?watch=true&resourceVersion=0&continue=x`);
      await api.refused(422, "GET", `${path}?watch=true&resourceVersionMatch=Exact&resourceVersion=1`);
      const { metadata } = await api.ok("GET", `${path}?limit=1`);
      const whole = await api.peek("GET", `${path}?limit=1&resourceVersion=0&continue=${metadata.continue}`);
      assert.deepEqual(whole.body.items?.map((item: Answer) => item.metadata.name), ["b", "c"]);
      await api.refused(400, "GET", `${path}?resourceVersion=1&continue=${metadata.continue}`);
      const future = btoa('{"v":"meta.k8s.io/v1","rv":999999999,"start":"a\\u0000"}').replaceAll("=", "");
      await api.refused(504, "GET", `${path}?continue=${future}`);
    },
  },
  {
    name: "answers in another form than the object's after all is done",
    async run(api) {
      await api.namespace("options-forms");
      const path = "/api/v1/namespaces/options-forms/configmaps";
      const [one, many] = [as("PartialObjectMetadata"), as("PartialObjectMetadataList")];
      await api.refused(404, "GET", `${path}/a`, undefined, many);
      await api.refused(406, "POST", path, configMap("a"), many);
      await api.refused(409, "POST", path, configMap("a"), many);
      await api.refused(406, "PUT", `${path}/a`, configMap("a", { a: "2" }), many);
      await api.refused(406, "PATCH", `${path}/a`, { data: { b: "1" } }, { ...MERGE, ...many });
      await api.ok("GET", `${path}/a`);
      await api.ok("DELETE", `${path}/a`, undefined, many);
      for (const accept of [one, many, TABLE]) {
        await api.ok("POST", path, configMap("a"));
        await api.call("DELETE", `${path}?fieldSelector=metadata.name%3Da`, undefined, accept);
        await api.refused(404, "GET", `${path}/a`);
      }
    },
    accepted: [{
      line: /columnDefinitions\.\d\.description/,
      because: "descriptions of columns are left out",
    }],
  },
];
