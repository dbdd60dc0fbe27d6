import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Conversions, isConversionReview } from "../../../lib/handlers/admission/conversion.ts";
import { ReviewError } from "../../../lib/handlers/admission/review.ts";
import type { JsonObject } from "../../../lib/model/object.ts";
import type { FurtherVersionOptions, VersionedObject } from "../../../lib/registry/schemas.ts";
import { silentLogger } from "../../../lib/runtime/logging.ts";

interface Old {
  readonly size: string;
}

interface New {
  readonly replicas: number;
}

/** v1 is the hub, v1beta1 says the number as a text, v1alpha1 in an annotation, v2 differs by its name alone. */
const VERSIONS: Readonly<Record<string, FurtherVersionOptions>> = {
  v1beta1: {
    convert: {
      toHub: ({ spec }: VersionedObject<Old>) => ({ spec: { replicas: Number(spec.size) } }),
      fromHub: ({ spec }: VersionedObject<New>) => ({ spec: { size: String(spec.replicas) } }),
    },
  },
  v1alpha1: {
    convert: {
      toHub: ({ metadata: { annotations = {} } }) => {
        const { replicas, ...others } = annotations;
        return { spec: { replicas: Number(replicas) }, metadata: { annotations: others } };
      },
      fromHub: ({ spec, metadata }: VersionedObject<New>) => ({
        spec: {},
        metadata: { annotations: { ...metadata.annotations, replicas: String(spec.replicas) } },
      }),
    },
  },
  v2: {},
};

const conversions = of(VERSIONS);

function of(versions: Readonly<Record<string, FurtherVersionOptions>>): Conversions {
  const names = { group: "example.com", version: "v1", plural: "bakeries", kind: "Bakery" };
  return new Conversions([{ ...names, versions }], silentLogger());
}

function bakery(version: string, parts: JsonObject): JsonObject {
  const metadata = { name: "north", namespace: "default", uid: "1", labels: { a: "b" } };
  return { apiVersion: `example.com/${version}`, kind: "Bakery", metadata, ...parts };
}

function review(desired: string, ...objects: readonly unknown[]): JsonObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    request: { uid: "u", desiredAPIVersion: `example.com/${desired}`, objects },
  };
}

function convert(desired: string, object: JsonObject, by = conversions): JsonObject {
  const { response } = by.answer(review(desired, object));
  assert.deepEqual([response.uid, response.result], ["u", { status: "Success" }]);
  const [converted, ...others] = response.convertedObjects;
  assert.ok(converted !== undefined && others.length === 0);
  return converted;
}

function failure(desired: string, object: unknown, by = conversions): string {
  const { response: { result, convertedObjects } } = by.answer(review(desired, object));
  assert.ok(result.status === "Failure");
  assert.deepEqual(convertedObjects, []);
  return result.message;
}

describe("Conversions", () => {
  it("convert into the hub, out of it, and by it from one further version to another", () => {
    const old = bakery("v1beta1", { spec: { size: "3" }, status: { open: true } });
    const hub = bakery("v1", { spec: { replicas: 3 }, status: { open: true } });
    assert.deepEqual(convert("v1", old), hub);
    assert.deepEqual(convert("v1beta1", hub), old);
    const oldest = convert("v1alpha1", old);
    assert.deepEqual(oldest.metadata, { ...Object(hub.metadata), annotations: { replicas: "3" } });
    assert.deepEqual(convert("v1beta1", oldest), {
      ...old,
      metadata: { ...Object(old.metadata), annotations: {} },
    });
  });

  it("show each function an object of the version that it is for", () => {
    const seen: string[] = [];
    const look = ({ apiVersion }: VersionedObject) => (seen.push(apiVersion), {});
    const by = of({
      v0: { convert: { toHub: look, fromHub: look } },
      v9: { convert: { toHub: look, fromHub: look } },
    });
    convert("v9", bakery("v0", {}), by);
    assert.deepEqual(seen, ["example.com/v0", "example.com/v1"]);
  });

  it("change the name alone where there are no functions", () => {
    const parts = { spec: { replicas: 1 }, more: [1, 2] };
    assert.deepEqual(convert("v2", bakery("v1", parts)), bakery("v2", parts));
    assert.deepEqual(convert("v1beta1", bakery("v2", { spec: { replicas: 1 } })).spec, { size: "1" });
  });

  it("keep the order of objects", () => {
    const objects = [1, 2, 3].map((replicas) => bakery("v1", { spec: { replicas } }));
    const { response } = conversions.answer(review("v1beta1", ...objects));
    assert.deepEqual(
      response.convertedObjects.map(({ spec }) => spec),
      [1, 2, 3].map((n) => ({ size: `${n}` })),
    );
  });

  it("take nothing of the metadata from functions but labels and annotations", () => {
    const by = of({
      v0: {
        convert: {
          toHub: ({ metadata }) => {
            metadata.uid = "stolen";
            return { metadata: { ...metadata, labels: { c: "d" } } };
          },
          fromHub: () => ({}),
        },
      },
    });
    const given = bakery("v0", { spec: {} });
    const { metadata } = convert("v1", given, by);
    assert.deepEqual(metadata, { name: "north", namespace: "default", uid: "1", labels: { c: "d" } });
    assert.equal(Object(given.metadata).uid, "1", "functions get copies");
  });

  it("answer with what a function throws, and with what is missing", () => {
    const by = of({
      v0: {
        convert: {
          toHub: () => {
            throw new Error("the oven is cold");
          },
          fromHub: () => Promise.resolve() as never,
        },
      },
    });
    assert.equal(
      failure("v1", bakery("v0", {}), by),
      'Cannot convert Bakery "default/north" from example.com/v0 to example.com/v1: the oven is cold',
    );
    assert.match(failure("v0", bakery("v1", {}), by), /fromHub\(\) returned a promise: .* must not wait/);
    assert.match(failure("v3", bakery("v1", {})), /to example\.com\/v3: no such versions are declared$/);
    assert.match(failure("v1", bakery("v3", {})), /to example\.com\/v1: no such versions are declared$/);
    assert.match(failure("v1", { ...bakery("v2", {}), kind: "Ship" }), /no such versions/);
    assert.match(failure("v1", { ...bakery("v2", {}), apiVersion: "other.com/v2" }), /no such versions/);
    for (const wrong of [null, 1, [], {}, { apiVersion: "example.com/v1", kind: "Bakery" }]) {
      assert.match(failure("v1", wrong), /no apiVersion, kind or metadata/);
    }
  });

  it("refuse to have stored what nobody could read again, and say which part it is", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const cases: readonly (readonly [returned: unknown, message: RegExp])[] = [
      [
        undefined,
        /: toHub\(\) returned undefined: it must return \{ spec, status, metadata \}, or \{\} for no change$/,
      ],
      [{ spec: null }, /: toHub\(\) returned null for "spec": it must be an object$/],
      [{ status: "open" }, /: toHub\(\) returned a string for "status": it must be an object$/],
      [{ spec: { ovens: [NaN] } }, /: Cannot turn "spec\.ovens\.0" into JSON: it is NaN$/],
      [{ spec: circle }, /"spec\.self" into JSON: it is a circle$/],
      [{ metadata: [] }, /a list for "metadata"/],
      [{ metadata: { labels: "x" } }, /a string for "metadata\.labels": it must be an object$/],
      [{ metadata: { labels: { a: 1 } } }, /a number for "metadata\.labels\.a": it must be a string$/],
    ];
    for (const [returned, message] of cases) {
      const by = of({ v0: { convert: { toHub: () => returned as never, fromHub: () => ({}) } } });
      assert.match(failure("v1", bakery("v0", {}), by), message);
    }
    const dated = { spec: { since: new Date(0), ovens: 3n, gone: undefined } };
    const by = of({ v0: { convert: { toHub: () => dated, fromHub: () => ({}) } } });
    assert.deepEqual(convert("v1", bakery("v0", {}), by).spec, {
      since: "1970-01-01T00:00:00.000Z",
      ovens: 3,
    });
  });

  it("do not leave the promise of a function behind that must not return any", async () => {
    const late = () => Promise.reject(new Error("late")) as never;
    assert.match(
      failure("v1", bakery("v0", {}), of({ v0: { convert: { toHub: late, fromHub: late } } })),
      /toHub\(\) returned a promise/,
    );
    await new Promise((resolve) => setTimeout(resolve)); // a rejection that nobody handles would fail the test by then
  });

  it("know no versions of another group, whatever their names", () => {
    const payload = review("v1", bakery("v1", { spec: { replicas: 1 } }));
    const request = { ...Object(payload.request), desiredAPIVersion: "example.org/v2" };
    const { response } = conversions.answer({ ...payload, request });
    assert.ok(response.result.status === "Failure");
    assert.match(response.result.message, /no such versions are declared/);
  });

  it("refuse what is no conversion review", () => {
    const good = review("v1");
    const wrong: JsonObject[] = [
      { ...good, apiVersion: "apiextensions.k8s.io/v1beta1" },
      { ...good, request: undefined },
      ...["uid", "desiredAPIVersion", "objects"].map((key) => ({
        ...good,
        request: { ...Object(good.request), [key]: null },
      })),
      { ...good, request: { ...Object(good.request), uid: "" } },
    ];
    for (const payload of wrong) {
      assert.throws(
        () => conversions.answer(payload),
        (error) => error instanceof ReviewError && error.status === 400,
      );
    }
    assert.deepEqual([good, { kind: "AdmissionReview" }, null, "x"].map(isConversionReview), [
      true,
      false,
      false,
      false,
    ]);
  });
});
