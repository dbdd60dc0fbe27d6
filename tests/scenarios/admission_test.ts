import assert from "node:assert/strict";
import {
  ABSENT,
  AdmissionError,
  EVERYTHING,
  type Operator,
  operator,
  PermanentError,
  PRESENT,
  resource,
  TemporaryError,
} from "../../mod.ts";
import { type AdmissionAnswer, ReviewError } from "../../lib/public/admission.ts";
import { Doorway, objectOf, patchIn, reviewOf } from "../support/reviews.ts";
import { suite } from "../support/scenario.ts";
import type { TimedWorld } from "../support/virtual_world.ts";
import { Example, type Loose, Objects, Plain } from "../support/worlds.ts";

/** An operator with a door to it. */
interface Open {
  readonly world: TimedWorld;
  readonly op: Operator;
  readonly door: Doorway;
  /** What was called, in order. */
  readonly calls: string[];
  /** Adds its name to the calls. */
  note(name: string): () => void;
  start(): ReturnType<TimedWorld["start"]>;
}

/** Makes a scenario of an operator with a door; it is stopped afterwards. */
function opened(body: (open: Open) => Promise<void>): (world: TimedWorld) => Promise<void> {
  return async (world) => {
    const door = new Doorway();
    const calls: string[] = [];
    const op = operator({ admission: { server: door.serve } });
    let running: Awaited<ReturnType<TimedWorld["start"]>> | undefined;
    const start = async (): ReturnType<TimedWorld["start"]> => running ??= await world.start(op);
    await body({ world, op, door, calls, note: (called) => () => void calls.push(called), start });
    if (running?.isRunning) await running.stop();
  };
}

function verdict({ response }: AdmissionAnswer): [allowed: boolean, code?: number, message?: string] {
  const { allowed, status } = response;
  return status === undefined ? [allowed] : [allowed, status.code, status.message];
}

function fails(status: number, message: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof ReviewError);
    assert.equal(error.status, status);
    assert.match(error.message, message);
    return true;
  };
}

suite("reviews", (scenario) => {
  scenario.timed(
    "[B101] a request that no handler wants is allowed",
    opened(async ({ op, door, start }) => {
      op.on.validate(Example, { labels: { none: "such" } }, function check() {});
      await start();
      const review = reviewOf({ uid: "some-uid" });
      assert.deepEqual(await door.context?.review({ ...review, apiVersion: "admission.k8s.io/v1beta1" }), {
        apiVersion: "admission.k8s.io/v1beta1",
        kind: "AdmissionReview",
        response: { uid: "some-uid", allowed: true },
      });
    }),
  );

  scenario.timed(
    "[B102] a review about a kind without admission handlers is unknown",
    opened(async ({ op, door, start }) => {
      op.on.validate(Example, function check() {});
      op.on.event(Plain, function watch() {});
      await start();
      const resource = { group: "lotse.test", version: "v1", resource: "plains" };
      await assert.rejects(
        door.review({ resource }),
        fails(404, /no handler is for "plains\.v1\.lotse\.test"/),
      );
      assert.equal((await door.post("/", reviewOf({ resource }))).status, 404);
    }),
  );

  scenario.timed(
    "[B103] a review about what is served twice is ambiguous",
    opened(async ({ world, op, door, start }) => {
      world.intercept = (request) => {
        if (!request.url.endsWith("/apis/twice.test/v1")) {
          if (!request.url.endsWith("/apis/twice.test")) return undefined;
          const version = { groupVersion: "twice.test/v1", version: "v1" };
          return Promise.resolve(
            Response.json({
              kind: "APIGroup",
              name: "twice.test",
              versions: [version],
              preferredVersion: version,
            }),
          );
        }
        const verbs = ["get", "list", "watch", "patch"];
        const resources = ["One", "Two"].map((kind) => ({ name: "things", kind, namespaced: true, verbs }));
        return Promise.resolve(
          Response.json({ kind: "APIResourceList", groupVersion: "twice.test/v1", resources }),
        );
      };
      for (const kind of ["One", "Two"]) {
        op.on.validate(resource({ group: "twice.test", version: "v1", kind }), function check() {});
      }
      await start();
      const request = { resource: { group: "twice.test", version: "v1", resource: "things" } };
      await assert.rejects(door.review(request), fails(409, /"things\.v1\.twice\.test" is ambiguous/));
      assert.equal((await door.post("/check", reviewOf(request))).status, 409);
    }),
  );

  scenario.timed(
    "[B104] a review without objects, or with something missing or odd, is malformed",
    opened(async ({ op, door, note, calls, start }) => {
      op.on.validate(Example, note("check"));
      await start();
      const bad: [Loose, RegExp][] = [
        [{ object: undefined, oldObject: undefined }, /neither "object" nor "oldObject"/],
        [{ object: null, oldObject: null }, /neither "object" nor "oldObject"/],
        [{ object: [] }, /"object" is not an object/],
        [{ oldObject: "x" }, /"oldObject" is not an object/],
        [{ object: { metadata: 1 } }, /the metadata of "object"/],
        [{ object: { metadata: { labels: [] } } }, /"metadata.labels" of "object"/],
        [{ object: { metadata: { name: {} } } }, /"name" is not a text/],
        [{ userInfo: undefined }, /no "userInfo"/],
        [{ resource: undefined }, /no "resource"/],
        [{ resource: { version: "v1", resource: "examples" } }, /must have a group/],
        [{ resource: { group: "", version: "", resource: "examples" } }, /must have a group/],
        [{ operation: undefined }, /"operation" must be one of CREATE/],
        [{ operation: "PATCH" }, /"operation" must be one of CREATE/],
        [{ operation: 5 }, /"operation" is not a text/],
        [{ uid: 5 }, /"uid" is not a text/],
        [{ uid: undefined }, /no "uid"/],
        [{ subResource: {} }, /"subResource" is not a text/],
      ];
      for (const [request, message] of bad) {
        await assert.rejects(door.review(request), fails(400, message));
        assert.equal((await door.post("/", reviewOf(request))).status, 400);
      }
      for (const payload of [null, 1, "x", [], {}, { request: null }, { request: [] }]) {
        await assert.rejects(async () => await door.context?.review(payload), fails(400, /Cannot read/));
      }
      for (
        const [key, value] of [["apiVersion", "admission.k8s.io/v2"], ["kind", "Review"], ["kind", undefined]]
      ) {
        const wrong = { ...reviewOf(), [String(key)]: value };
        assert.equal((await door.post("/", wrong)).status, 400, `${key} ${value}`);
      }
      assert.deepEqual(calls, []);
    }),
  );

  scenario.timed(
    "[B105] a deletion is about the object as it was",
    opened(async ({ op, door, start }) => {
      const seen: unknown[] = [];
      op.on.validate(
        Example,
        { operations: ["DELETE"] },
        function check({ body, old, new: now, name, diff }) {
          seen.push(body.spec, old?.spec, now, name, diff.map(({ op, path }) => [op, path]));
        },
      );
      await start();
      const oldObject = objectOf("one", { spec: { b: 2 } });
      await door.review({ operation: "DELETE", object: null, oldObject });
      assert.deepEqual(seen, [{ b: 2 }, { b: 2 }, undefined, "one", [["remove", []]]]);
    }),
  );

  scenario.timed(
    "[A258] [B106] a deletion does not ask handlers that mutate, unless they are for nothing else",
    opened(async ({ op, door, calls, note, start }) => {
      op.on.mutate(Example, { id: "any" }, note("any"));
      op.on.mutate(Example, { id: "both", operations: ["DELETE", "UPDATE"] }, note("both"));
      op.on.mutate(Example, { id: "only", operations: ["DELETE"] }, note("only"));
      op.on.validate(Example, { id: "check" }, note("check"));
      await start();
      await door.review({ operation: "DELETE", object: null });
      assert.deepEqual(calls, ["only", "check"]);
    }),
  );

  scenario.timed(
    "[A256] [A257] [B107] [B108] hints narrow down who is asked; without hints, all are",
    opened(async ({ op, door, calls, note, start }) => {
      op.on.validate(Example, { id: "check" }, note("check"));
      op.on.mutate(Example, { id: "change" }, note("change"));
      op.on.validate(Example, { id: "other/part" }, note("other/part"));
      await start();
      const asked = async (hints: Parameters<Doorway["review"]>[1]): Promise<string[]> => {
        await door.review({}, hints);
        return calls.splice(0);
      };
      assert.deepEqual(await asked({}), ["check", "change", "other/part"]);
      assert.deepEqual(await asked({ webhook: "check" }), ["check"]);
      assert.deepEqual(await asked({ reason: "validating" }), ["check", "other/part"]);
      assert.deepEqual(await asked({ reason: "mutating" }), ["change"]);
      assert.deepEqual(await asked({ reason: "mutating", webhook: "change" }), ["change"]);
      assert.deepEqual(await asked({ reason: "mutating", webhook: "check" }), []);
      await door.post("/other/part", reviewOf());
      await door.post("/other%2Fpart", reviewOf());
      assert.deepEqual(calls.splice(0), ["other/part", "other/part"]);
      await assert.rejects(door.review({}, { webhook: "gone" }), fails(404, /there is no handler "gone"/));
    }),
  );

  scenario.timed(
    "handlers are asked about their own kinds only",
    opened(async ({ op, door, calls, note, start }) => {
      op.on.validate(Example, { id: "example" }, note("example"));
      op.on.validate(Plain, { id: "plain" }, note("plain"));
      op.on.validate(EVERYTHING, { id: "all" }, note("all"));
      await start();
      await door.review();
      await door.review({ resource: { group: "lotse.test", version: "v1", resource: "plains" } });
      assert.deepEqual(calls, ["example", "all", "plain", "all"]);
    }),
  );

  scenario.timed(
    "[A259] [B109] [B110] subresources have handlers of their own, and of all",
    opened(async ({ op, door, calls, note, start }) => {
      op.on.validate(Example, { id: "main" }, note("main"));
      op.on.validate(Example, { id: "any", subresource: "*" }, note("any"));
      op.on.validate(Example, { id: "status", subresource: "status" }, note("status"));
      await start();
      await door.review();
      await door.review({ subResource: "" });
      assert.deepEqual(calls.splice(0), ["main", "any", "main", "any"]);
      await door.review({ subResource: "status" });
      assert.deepEqual(calls.splice(0), ["any", "status"]);
    }),
  );

  scenario.timed(
    "[A261] [B111] [B112] [B114] who refuses says with which code and why",
    opened(async ({ op, door, start }) => {
      const errors: unknown[] = [
        new AdmissionError("no", { code: 422 }),
        new AdmissionError("odd", { code: 123 }),
        new AdmissionError("plain"),
        new PermanentError("never"),
        new TemporaryError("later"),
        new Error("by surprise"),
        new Error(),
        new AdmissionError("", { code: 403 }),
        new AdmissionError("nonsense", { code: NaN }),
        new AdmissionError("beyond", { code: 99_999 }),
        "a text",
      ];
      op.on.validate(Example, function check() {
        throw errors.shift();
      });
      await start();
      const verdicts = [];
      for (let left = errors.length; left > 0; left--) verdicts.push(verdict(await door.review()));
      assert.deepEqual(verdicts, [
        [false, 422, "no"],
        [false, 123, "odd"],
        [false, 500, "plain"],
        [false, 500, "never"],
        [false, 500, "later"],
        [false, 500, "by surprise"],
        [false, 500, "Error"],
        [false, 403, "AdmissionError"],
        [false, 500, "nonsense"],
        [false, 500, "beyond"],
        [false, 500, '"a text" was thrown (throw an Error to get a stack trace)'],
      ]);
    }),
  );

  scenario.timed(
    "[A260] [B113] [B115] all handlers are asked, and the weightiest refusal is told",
    opened(async ({ op, door, calls, start }) => {
      const failing = new Map<string, Error>();
      for (const id of ["a", "b", "c", "d", "e"]) {
        op.on.validate(Example, { id }, () => {
          calls.push(id);
          const error = failing.get(id);
          if (error !== undefined) throw error;
        });
      }
      await start();
      const told = async (...errors: Error[]): Promise<string | undefined> => {
        failing.clear();
        errors.forEach((error, index) => failing.set("abcde".charAt(index), error));
        calls.length = 0;
        const [, , message] = verdict(await door.review());
        assert.deepEqual(calls, ["a", "b", "c", "d", "e"]);
        return message;
      };
      const any = new Error("any");
      const temporary = new TemporaryError("temporary");
      const permanent = new PermanentError("permanent");
      const admission = new AdmissionError("admission");
      assert.equal(await told(temporary, permanent, admission, any), "admission");
      assert.equal(await told(any, temporary, permanent), "permanent");
      assert.equal(await told(any, temporary), "temporary");
      assert.equal(await told(any, new Error("second")), "any");
      assert.equal(await told(any, admission, new AdmissionError("second")), "admission");
      assert.equal(await told(), undefined);
    }),
  );

  scenario.timed(
    "[A262] [B116] warnings are returned in order",
    opened(async ({ op, door, start }) => {
      op.on.validate(Example, { id: "a" }, ({ warnings }) => void warnings.push("first", "second"));
      op.on.mutate(Example, { id: "b" }, ({ warnings }) => {
        const untyped: unknown[] = warnings;
        untyped.push(3, { toString: () => "fourth" }, Object.create(null));
      });
      await start();
      const { response } = await door.review();
      assert.equal(response.allowed, true);
      assert.deepEqual(response.warnings, [
        "first",
        "second",
        "3",
        "fourth",
        "A warning that cannot be read",
      ]);
    }),
  );

  scenario.timed(
    "[A263] [B117] [B118] what is changed is returned as a JSON patch, what is not changed is not",
    opened(async ({ op, door, start }) => {
      let change: (args: { patch: { spec: Loose; metadata: Loose; fns: unknown[] } }) => void = () => {};
      op.on.mutate(Example, function mutate(args) {
        change(args as never);
      });
      await start();
      const patched = async (object: Loose, fn: typeof change): Promise<unknown> => {
        change = fn;
        const answer = await door.review({ object });
        assert.equal(answer.response.allowed, true);
        assert.equal(answer.response.patchType, answer.response.patch && "JSONPatch");
        return patchIn(answer);
      };
      const bare = objectOf("one");
      const one = objectOf("one", { spec: { x: 1, "a/b~c": "ü" } });
      assert.deepEqual(
        await patched(bare, ({ patch }) => patch.spec.x = 1),
        [{ op: "add", path: "/spec", value: { x: 1 } }],
      );
      assert.equal(await patched(one, ({ patch }) => patch.spec.x = 1), undefined);
      assert.deepEqual(
        await patched(one, ({ patch }) => Object.assign(patch.spec, { x: 2, "a/b~c": "ö" })),
        [{ op: "replace", path: "/spec/x", value: 2 }, { op: "replace", path: "/spec/a~1b~0c", value: "ö" }],
      );
      const append = (body: Loose): void => {
        const spec = body.spec as Loose;
        spec.x = Number(spec.x) + 1;
      };
      assert.deepEqual(
        await patched(one, ({ patch }) => {
          patch.spec.x = 5;
          patch.fns.push(append);
        }),
        [{ op: "replace", path: "/spec/x", value: 6 }],
      );
      change = ({ patch }) => patch.spec.x = NaN;
      assert.deepEqual(verdict(await door.review()), [
        false,
        500,
        'Cannot turn "spec.x" into JSON: it is NaN',
      ]);
    }),
  );

  scenario.timed(
    "[B119] [B120] handlers see who asks, and that nothing is stored",
    opened(async ({ op, door, start }) => {
      const seen: unknown[] = [];
      op.on.validate(Example, function check({ dryrun, headers, sslpeer, userinfo, operation, subresource }) {
        seen.push([dryrun, headers, sslpeer, userinfo.username, operation, subresource]);
      });
      await start();
      await door.review({ dryRun: true });
      await door.review({}, { headers: { "x-a": "b" }, sslpeer: { subject: { CN: "apiserver" } } });
      await door.post("/", reviewOf(), { headers: { "X-Some": "thing" } });
      const [first, second, third] = seen as [unknown[], unknown[], unknown[]];
      assert.deepEqual(first, [true, {}, {}, "jane", "UPDATE", undefined]);
      assert.deepEqual(second.slice(0, 3), [false, { "x-a": "b" }, { subject: { CN: "apiserver" } }]);
      assert.equal((third[1] as Loose)["x-some"], "thing");
    }),
  );

  scenario.timed(
    "[A264] [B121] [B122] what is kept in memory about an object, requests share, but not its creation",
    opened(async ({ world, op, door, start }) => {
      const seen: unknown[] = [];
      op.memo.shared = "all";
      op.on.validate(Example, function check({ memo, operation }) {
        seen.push(memo.last);
        assert.equal(memo.shared, "all");
        memo.last = operation;
      });
      op.on.event(Example, function watch({ memo, type }) {
        if (type !== null) seen.push([type, memo.last]);
      });
      const running = await start();
      await door.review({ operation: "CREATE", object: objectOf("one", { metadata: { uid: undefined } }) });
      const one = await new Objects(world).create("one");
      await running.settle();
      // Also where the object has its uid already, as in the last of the reviews.
      await door.review({ operation: "CREATE", object: one, oldObject: null });
      await new Objects(world).patch("one", { spec: { a: 1 } });
      await running.settle();
      assert.deepEqual(seen.splice(0), [undefined, ["ADDED", undefined], undefined, ["MODIFIED", undefined]]);
      await door.review({ object: one, oldObject: one });
      await new Objects(world).patch("one", { spec: { a: 2 } });
      await running.settle();
      assert.deepEqual(seen.splice(0), [undefined, ["MODIFIED", "UPDATE"]]);
      // Also when a review is the first that is seen of an object.
      const unseen = objectOf("two");
      await door.review({ object: unseen });
      await door.review({ object: unseen });
      assert.deepEqual(seen, [undefined, "UPDATE"]);
    }),
  );

  scenario.timed(
    "[B123] filters decide who is asked",
    opened(async ({ op, door, calls, note, start }) => {
      op.on.validate(Example, { id: "label", labels: { a: "b" } }, note("label"));
      op.on.validate(Example, { id: "absent", labels: { a: ABSENT } }, note("absent"));
      op.on.validate(Example, { id: "field", field: "spec.a" }, note("field"));
      op.on.validate(Example, { id: "value", field: "spec.a", value: 0 }, note("value"));
      op.on.validate(Example, { id: "there", annotations: { n: PRESENT } }, note("there"));
      op.on.validate(Example, { id: "when", when: ({ operation }) => operation === "CREATE" }, note("when"));
      await start();
      const answer = await door.review();
      assert.deepEqual(verdict(answer), [true]);
      // NB: of a field only the new value counts.
      assert.deepEqual(calls.splice(0), ["absent", "field"]);
      const metadata = { labels: { a: "b" }, annotations: { n: "" } };
      await door.review({ operation: "CREATE", object: objectOf("one", { metadata, spec: { a: 0 } }) });
      assert.deepEqual(calls, ["label", "field", "value", "there", "when"]);
    }),
  );

  scenario.timed(
    "a filter that throws refuses the request, unless its handler may be passed over",
    opened(async ({ op, door, calls, note, start }) => {
      const boom = (): boolean => {
        throw new Error("boom");
      };
      op.on.validate(Example, { id: "lax", when: boom, ignoreFailures: true }, note("lax"));
      op.on.validate(Example, { id: "strict", labels: { kept: boom } }, note("strict"));
      op.on.validate(Example, { id: "other" }, note("other"));
      const running = await start();
      assert.deepEqual(verdict(await door.review({}, { webhook: "lax" })), [true]);
      assert.deepEqual(verdict(await door.review()), [false, 500, 'The filter of "strict" failed: boom']);
      assert.deepEqual(calls, ["other"]);
      assert.equal(
        running.messages("error").filter((message) => message.startsWith("Filter failed")).length,
        3,
      );
    }),
  );

  scenario.timed(
    "[B126] [D11] operations count whatever the webhook's configuration says",
    opened(async ({ op, door, calls, note, start }) => {
      op.on.validate(Example, { id: "create", operations: ["CREATE"] }, note("create"));
      op.on.validate(Example, { id: "update", operations: ["UPDATE", "DELETE"] }, note("update"));
      op.on.validate(Example, { id: "all" }, note("all"));
      await start();
      await door.review();
      await door.review({ operation: "CREATE" });
      await door.review({ operation: "CONNECT" });
      assert.deepEqual(calls, ["update", "all", "create", "all", "all"]);
    }),
  );

  scenario.timed(
    "[B127] [D11] nothing is changed in what is refused, nor by handlers that validate",
    opened(async ({ op, door, start }) => {
      let refuses = true;
      let patches = false;
      op.on.mutate(Example, function change({ patch }) {
        patch.spec.x = 1;
      });
      op.on.validate(Example, function check({ patch }) {
        if (patches) patch.spec.y = 2;
        if (refuses) throw new AdmissionError("no", { code: 400 });
      });
      await start();
      const refused = await door.review();
      assert.deepEqual([verdict(refused), patchIn(refused)], [[false, 400, "no"], undefined]);
      refuses = false;
      assert.deepEqual(patchIn(await door.review()), [{ op: "add", path: "/spec/x", value: 1 }]);
      patches = true;
      const wrong = await door.review();
      assert.deepEqual(verdict(wrong), [
        false,
        500,
        'Cannot change the object in validating handler "check": use on.mutate for it',
      ]);
      assert.equal(patchIn(wrong), undefined);
    }),
  );

  scenario.timed(
    "[B96] indexes are there for filters and handlers of requests, and complete",
    opened(async ({ world, op, door, start }) => {
      const names = op.index(Example, { id: "names" }, ({ name, namespace }) => ({ [name]: namespace }));
      const seen: unknown[] = [];
      op.on.event(Example, {
        when: ({ indices, name }) => seen.push(["event", indices.names?.has(name)]) < 0,
      }, function watch() {});
      op.on.validate(Example, {
        when: ({ indices }) => indices.names?.has("known") === true,
      }, function check({ indices, name }) {
        seen.push([indices.names?.has(name), names.get("known")]);
      });
      await new Objects(world).create("known");
      await start();
      assert.deepEqual(seen.splice(0), [["event", true]]);
      assert.deepEqual(verdict(await door.review()), [true]);
      assert.deepEqual(seen, [[false, ["default"]]]);
    }),
  );
});
