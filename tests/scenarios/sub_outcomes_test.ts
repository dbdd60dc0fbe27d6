/** What a handler learns of its sub-handlers, and sequences of steps. */

import assert from "node:assert/strict";
import {
  type ChangeHandlerArguments,
  lifecycles,
  operator,
  PermanentError,
  type SubOutcome,
  TemporaryError,
} from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, LAST_HANDLED, type Loose, notesOf, Objects, statusOf } from "../support/worlds.ts";

/** Outcomes with the texts of errors. */
function told(outcomes: readonly SubOutcome[]): readonly string[] {
  return outcomes.map((outcome) =>
    outcome.kind === "failure"
      ? `${outcome.id} ${outcome.kind}: ${outcome.error.message}`
      : `${outcome.id} ${outcome.kind}`
  );
}

suite("sub.run()", (scenario) => {
  scenario("tells how each part has ended, in this attempt or an earlier one", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const outcomes: (readonly string[])[] = [];
    op.on.create(Example, { id: "deploy" }, async ({ sub }) => {
      sub("first", () => {});
      sub("second", () => {
        throw new PermanentError("no room");
      });
      sub("other", { when: ({ spec }) => spec.other === true }, () => {});
      sub("ignored", { errors: "ignored" }, () => {
        throw new Error("never mind");
      });
      sub("exhausted", { retries: 1 }, () => {
        throw new TemporaryError("not yet");
      });
      outcomes.push(told(await sub.run()));
      sub("late", () => {});
      outcomes.push(told(await sub.run()), told(await sub.run()));
      return "done";
    });
    const running = await world.start(op);
    await objects.create("one", { spec: { a: 1 } });
    await world.until(async () => (await objects.get("one")).status?.deploy === "done");
    const [first = []] = outcomes;
    assert.deepEqual(first.slice(0, 4), [
      "first success",
      "second failure: no room",
      "other skipped",
      "ignored success",
    ]);
    assert.match(first[4] ?? "", /^exhausted failure: .*not yet$/);
    assert.deepEqual(outcomes.slice(-2), [["late success"], []]);
    await running.stop();
  });

  scenario(
    'with `onFailure: "stop"` calls one step after the other, and none after a failure',
    async (world) => {
      for (const lifecycle of [lifecycles.asap, lifecycles.allAtOnce]) {
        const objects = new Objects(world);
        const op = operator({ lifecycle });
        const calls: string[] = [];
        op.on.create(Example, { id: "deploy" }, async ({ sub, spec }) => {
          for (const step of ["backup", "migrate", "restart"]) {
            sub(step, ({ retry }) => {
              calls.push(`${step} ${retry}`);
              if (step === "backup" && retry === 0) throw new TemporaryError("busy", { delay: 0.2 });
              if (step === spec.fails) throw new PermanentError("corrupt");
              return step;
            });
          }
          return { outcomes: told(await sub.run({ onFailure: "stop" })) };
        });
        const running = await world.start(op);
        await objects.create("one", { spec: { fails: "migrate" } });
        await objects.create("two", { spec: { fails: "none" } });
        for (const name of ["one", "two"]) {
          await world.until(async () => (await objects.get(name)).status?.deploy !== undefined);
        }
        assert.deepEqual(statusOf(await objects.get("one")), {
          "deploy/backup": "backup",
          deploy: { outcomes: ["backup success", "migrate failure: corrupt", "restart skipped"] },
        });
        assert.deepEqual((await objects.get("two")).status?.deploy, {
          outcomes: ["backup success", "migrate success", "restart success"],
        });
        assert.deepEqual(Object.keys(notesOf(await objects.get("one"))), [LAST_HANDLED]);
        assert.deepEqual(calls.toSorted(), [
          "backup 0",
          "backup 0",
          "backup 1",
          "backup 1",
          "migrate 0",
          "migrate 0",
          "restart 0",
        ]);
        await objects.delete("one");
        await objects.delete("two");
        await running.stop();
      }
    },
  );

  scenario(
    "leaves no result of an earlier cause beside a failure, nor of a step that it has stopped",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const deploy = async ({ sub, spec, reason }: ChangeHandlerArguments<Loose, Loose>): Promise<void> => {
        sub("backup", () => ({ by: reason }));
        sub("migrate", async ({ sub: part }) => {
          part("check", () => reason);
          if (spec.fails !== true) part("schema", () => reason);
          await part.run();
          if (spec.fails === true) throw new PermanentError("corrupt");
          return reason;
        });
        sub("restart", ({ sub: part }) => {
          part("drain", () => reason);
          return { by: reason };
        });
        await sub.run({ onFailure: spec.stops === true ? "stop" : undefined });
      };
      op.on.create(Example, { id: "deploy" }, deploy);
      op.on.update(Example, { id: "deploy" }, deploy);
      const running = await world.start(op);
      const isDone = (name: string) => async (): Promise<boolean> =>
        notesOf(await objects.get(name))[LAST_HANDLED]?.includes(`"fails":true`) === true;
      for (const [name, stops] of [["one", true], ["two", false]] as const) {
        await objects.create(name, { spec: { stops, fails: false } });
        await world.until(async () => (await objects.get(name)).status?.["deploy/restart"] !== undefined);
        await world.until(async () => LAST_HANDLED in notesOf(await objects.get(name)));
        await objects.patch(name, { spec: { fails: true } });
        await world.until(isDone(name));
      }
      assert.deepEqual(statusOf(await objects.get("one")), {
        "deploy/backup": { by: "update" },
        "deploy/migrate/check": "update",
      });
      assert.deepEqual(statusOf(await objects.get("two")), {
        "deploy/backup": { by: "update" },
        "deploy/migrate/check": "update",
        "deploy/restart": { by: "update" },
        "deploy/restart/drain": "update",
      });
      await running.stop();
    },
  );
});

suite("a sub-handler that is a step", (scenario) => {
  scenario("fails its handler, if that does not look at the outcomes", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const calls: string[] = [];
    op.on.create(Example, { id: "deploy" }, ({ sub }) => {
      sub("notify", () => void calls.push("notify"));
      sub("backup", { onFailure: "stop" }, () => {
        throw new PermanentError("no room");
      });
      sub("restart", () => void calls.push("restart"));
      return "all is well";
    });
    const running = await world.start(op);
    await objects.create("one", { spec: { a: 1 } });
    await world.until(async () => LAST_HANDLED in notesOf(await objects.get("one")));
    await world.settle();
    assert.deepEqual(calls, ["notify"]);
    assert.equal((await objects.get("one")).status?.deploy, undefined);
    const failed = running.logs.filter(({ message }) => message === "Handler failed permanently");
    assert.deepEqual(failed.map(({ fields: { handler, error } }) => [handler, (error as Error).message]), [
      ["deploy/backup", "no room"],
      ["deploy", 'The step "backup" has failed: no room'],
    ]);
    await running.stop();
  });

  scenario.virtual("is refused with another `onFailure`", async (world) => {
    const op = operator();
    const errors: string[] = [];
    op.on.create(Example, { id: "deploy" }, async ({ sub }) => {
      for (const value of ["keep", "release", true]) {
        try {
          sub("a", { onFailure: value as "stop" }, () => {});
        } catch (error) {
          errors.push((error as Error).message);
        }
        await sub.run({ onFailure: value as "stop" }).catch((error) => errors.push(error.message));
      }
    });
    const running = await world.start(op);
    await new Objects(world).create("one");
    await running.settle();
    assert.equal(errors.length, 6);
    for (const error of errors) {
      assert.match(error, /for "onFailure" of sub-handlers: take "stop", or leave it out/);
    }
    await running.stop();
  });
});
