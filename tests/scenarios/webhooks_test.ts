import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { AdmissionError, ApiError, operator, webhookServer } from "../../mod.ts";
import { MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS } from "../../lib/model/kinds.ts";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { RealPlace } from "../support/real_world.ts";
import { Example, type Loose, Objects } from "../support/worlds.ts";

const NAME = "hooks.example.com";

describe("webhooks of a real API server", () => {
  let place: Promise<RealPlace> | undefined;
  const missing = findControlPlane().reason;
  after(async () => {
    if (place !== undefined) await (await place)[Symbol.asyncDispose]();
  });

  it(
    "are called: one changes what is written, one refuses",
    { timeout: 180_000, skip: missing ?? false },
    async () => {
      place ??= RealPlace.open();
      const world = await (await place).world();
      const server = webhookServer({ addr: "127.0.0.1", host: "127.0.0.1" });
      const op = operator({ admission: { server, managed: NAME } });
      const seen: unknown[] = [];
      op.on.mutate(Example, { operations: ["CREATE"] }, function setDefaults({ patch, spec }) {
        patch.spec.size = spec.size ?? 1;
        patch.metadata.labels.seen = "yes";
      });
      op.on.validate(
        Example,
        { operations: ["CREATE", "UPDATE", "DELETE"], subresource: "*" },
        function checkSize(args) {
          const { spec, operation, userinfo, dryrun, subresource, headers, warnings } = args;
          seen.push([
            operation,
            subresource,
            userinfo.username !== undefined,
            dryrun,
            headers["user-agent"] !== undefined,
          ]);
          if (operation === "DELETE" && spec.size === 2) {
            throw new AdmissionError("It is needed", {
              code: 409,
            });
          }
          if (Number(spec.size) > 10) throw new AdmissionError("Too large", { code: 422 });
          warnings.push("mind the size");
        },
      );
      const running = await world.start(op);
      const objects = new Objects(world);
      const refusal = async (work: Promise<unknown>): Promise<[number, string]> => {
        const error = await work.then(() => undefined, (error: unknown) => error);
        assert.ok(error instanceof ApiError, "the request must be refused");
        return [error.status, error.body?.message ?? ""];
      };
      // The API server takes a moment to notice new configurations, of each kind at a time of its own.
      let tries = 0;
      await world.until(async () => {
        const made = await objects.create(`try-${++tries}`);
        return made.metadata.labels?.seen === "yes";
      });
      await world.until(async () => {
        const made = await objects.create(`large-${++tries}`, { spec: { size: 11 } }).catch(() => undefined);
        return made === undefined;
      });
      const [status, message] = await refusal(objects.create("large", { spec: { size: 11 } }));
      assert.equal(status, 422);
      assert.match(
        message,
        /admission webhook "check-size\.hooks\.example\.com" denied the request: Too large/,
      );
      const good = await objects.create("good", { spec: { size: 2 } });
      assert.deepEqual([good.spec, good.metadata.labels], [{ size: 2 }, { seen: "yes" }]);
      const bare = await objects.create("bare");
      assert.deepEqual(bare.spec, { size: 1 });
      assert.equal((await refusal(objects.patch("good", { spec: { size: 20 } })))[0], 422);
      assert.equal((await refusal(objects.delete("good")))[0], 409);
      seen.length = 0;
      await objects.patch("good", { spec: { size: 3 } });
      await objects.patch("good", { status: { a: 1 } }, "status");
      assert.deepEqual(seen, [["UPDATE", undefined, true, false, true], [
        "UPDATE",
        "status",
        true,
        false,
        true,
      ]]);
      await running.stop();
      for (const kind of [VALIDATING_WEBHOOK_CONFIGURATIONS, MUTATING_WEBHOOK_CONFIGURATIONS]) {
        const { webhooks = [] } = await world.client.get<{ metadata: object; webhooks?: Loose[] }>(kind, {
          name: NAME,
        });
        assert.deepEqual(webhooks, []);
      }
      await world.until(async () => {
        const made = await objects.create(`after-${++tries}`, { spec: { size: 100 } }).catch(() => undefined);
        return made !== undefined && made.metadata.labels === undefined;
      });
    },
  );
});
