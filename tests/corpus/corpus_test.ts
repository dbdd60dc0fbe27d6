/**
 * The corpus that this repository brings along, plain and mutated, on both servers: what they answer differently is on the list of
 * tests/corpus/known.ts. `deno task corpus` tries any other folder.
 */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { compareAnswers } from "./comparison.ts";
import { OWN_CORPUS, readCorpus } from "./documents.ts";
import { mutated } from "./mutation.ts";
import { postCorpus } from "./posting.ts";
import { Servers } from "./servers.ts";

const skip = findControlPlane().reason ?? false;

/** What this repository's own corpus holds. */
const DEFINITIONS = 8;
const SAMPLES = 57;

describe("the corpus", () => {
  it("is answered alike by both servers", { skip }, async () => {
    await using servers = await Servers.open();
    const corpus = readCorpus(OWN_CORPUS);
    const { posted, findings } = await postCorpus(servers, corpus, { seed: 1, mutations: 3 });
    const unknown = findings.filter(({ reason }) => reason === undefined);
    assert.deepEqual(unknown.map(({ source, differences }) => ({ source, differences })), []);
    assert.deepEqual([posted.definitions, posted.samples], [
      corpus.definitions.length,
      corpus.samples.length,
    ]);
  });

  it("tells a definition from a sample, and passes over what is neither", () => {
    const { definitions, samples } = readCorpus(OWN_CORPUS);
    assert.ok(definitions.every(({ object }) => object.kind === "CustomResourceDefinition"));
    assert.ok(samples.every(({ object }) => object.kind !== "CustomResourceDefinition"));
    // A patch of Kustomize, and a template of Helm without its actions.
    assert.ok(!definitions.some(({ source }) => source.startsWith("patch.yaml")));
    assert.ok(samples.some(({ source }) => source.startsWith("chart.yaml")));
    // A document that is no YAML would be passed over in silence.
    assert.deepEqual([definitions.length, samples.length], [DEFINITIONS, SAMPLES]);
  });
});

describe("mutated()", () => {
  const object = {
    apiVersion: "v1",
    kind: "A",
    metadata: { name: "a" },
    spec: { list: [1, 2], flag: true, text: "x" },
  };

  it("changes one or two members below the identity, the same ones for the same seed", () => {
    for (let seed = 0; seed < 200; seed++) {
      const changed = mutated(object, seed);
      assert.deepEqual(changed, mutated(object, seed));
      const { apiVersion, kind, metadata } = changed;
      assert.deepEqual({ apiVersion, kind, metadata }, {
        apiVersion: "v1",
        kind: "A",
        metadata: { name: "a" },
      });
    }
    const results = new Set(Array.from({ length: 200 }, (_, seed) => JSON.stringify(mutated(object, seed))));
    assert.ok(results.size > 30, `${results.size} results`);
    assert.deepEqual(object.spec.list, [1, 2]);
  });
});

describe("compareAnswers()", () => {
  const answer = (body: unknown, code = 201) => ({ code, warnings: [], body });

  it("leaves out identities, versions and times, wherever they stand", () => {
    const made = (uid: string, name: string) => ({
      metadata: { generateName: "a-", name, uid, resourceVersion: uid.slice(0, 2), creationTimestamp: uid },
      spec: { labels: { owner: uid, name } },
    });
    const one = made("8590b122-7822-479c-b052-6c8973e4d7dc", "a-x");
    const other = made("a717fd33-af2b-47a6-afa4-738f6e64681f", "a-y");
    assert.deepEqual(compareAnswers(answer(one), answer(other)), []);
  });

  it("tells each field that differs, and of different codes the messages", () => {
    assert.deepEqual(
      compareAnswers(answer({ spec: { a: 1, b: [1] } }), answer({ spec: { a: 2, b: [1, 2] } })),
      [
        { path: "body.spec.a", ours: 1, theirs: 2 },
        { path: "body.spec.b[1]", ours: undefined, theirs: 2 },
      ],
    );
    assert.deepEqual(compareAnswers(answer({}), answer({ kind: "Status", message: "no" }, 422)), [
      { path: "code", ours: 201, theirs: 422 },
      { path: "body.message", ours: undefined, theirs: "no" },
    ]);
  });
});
