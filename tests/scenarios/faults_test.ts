/**
 * A network and a server that break in every way that we know of, between them and a whole operator.
 */

import assert from "node:assert/strict";
import { Endurance } from "../support/endurance.ts";
import {
  answer,
  cutAfter,
  cutInLine,
  deaf,
  duplicate,
  errorEvent,
  type Fault,
  type FaultyProxy,
  hangUp,
  LISTS,
  page,
  refuse,
  reorder,
  RESUMES,
  shiftVersions,
  silence,
  STREAMED_LISTS,
  WATCHES,
} from "../support/faulty_proxy.ts";
import { ask, LIVENESS } from "../support/probing.ts";
import { suite } from "../support/scenario.ts";
import { sized } from "../support/size.ts";
import { EXAMPLES, type World } from "../support/worlds.ts";

interface Trial {
  /** Sets the faults up, before all connections are cut. */
  readonly inject: (proxy: FaultyProxy) => void;
  /** By when everything must be handled, in seconds of virtual time after the last fault that was set up. */
  readonly within: number;
  readonly streaming?: boolean | "auto";
  /** Whether the faults strike from the operator's very start. */
  readonly atStart?: boolean;
  /** Leave connections as they are: the fault makes its own way in. */
  readonly keepConnections?: boolean;
}

const NAMES = ["a", "b", "c", "d", "e"];

/** Runs an operator through faults, while objects change, vanish, and are made anew. */
async function endure(world: World, trial: Trial): Promise<Endurance> {
  await using place = await world.proxy();
  const { proxy } = place;
  const watching = {
    initialStreaming: trial.streaming ?? "auto",
    chunkSize: 2,
    // Real time really passes on a real control plane.
    inactivityTimeout: world.place === "in the process" ? 70 : 2,
  };
  const networking = { errorBackoffs: [0.2, 0.4] };
  const endurance = new Endurance(world, { watching, networking });
  await endurance.make(NAMES);
  if (trial.atStart) trial.inject(proxy);
  const running = await world.start(endurance.op);
  if (!trial.atStart) await endurance.endure(60);
  if (!trial.atStart) trial.inject(proxy);
  if (!trial.keepConnections) place.breakAll();
  await endurance.disturb(1);
  await endurance.endure(trial.within);
  assert.ok(proxy.struck > 0, "no fault has struck");
  // Everything may be handled before the last fault strikes, where time really passes.
  if (world.place !== "in the process") await world.until(() => proxy.waiting === 0);
  assert.equal(proxy.waiting, 0, "not all faults have struck");
  // And it is well again: what happens now is seen at once.
  proxy.clear();
  await endurance.mend(9);
  await endurance.objects.patch("e", { spec: { n: 9 } });
  await endurance.endure(5);
  await running.stop();
  return endurance;
}

/** Each fault in turn, so that one operator meets all of them. */
function inTurn(
  proxy: FaultyProxy,
  when: Parameters<FaultyProxy["inject"]>[0],
  faults: readonly Fault[],
): void {
  for (const fault of faults) proxy.inject(when, fault);
}

/** The status codes of a server that misbehaves. */
const CODES = sized({
  short: [401, 410, 429, 500, 666],
  full: [400, 401, 403, 404, 409, 410, 422, 429, 500, 503, 504, 666],
});
const CODES_OF_EVENTS_ON_REAL_SERVER = sized({ short: [666], full: [410, 666] });
const CODES_OF_WATCHES_ON_REAL_SERVER = sized({ short: [410], full: [404, 410, 503] });

suite("An operator goes on, blind for nothing,", (scenario) => {
  for (const streaming of [true, false]) {
    const way = streaming ? "with streamed lists" : "with pages";
    // Real time really passes: what both ways have in common is tried once there.
    const once = streaming ? scenario : scenario.virtual;

    once(`[D1] after ERROR events of each code, ${way}`, async (world) => {
      for (const code of world.place === "in the process" ? CODES : CODES_OF_EVENTS_ON_REAL_SERVER) {
        const inject = (proxy: FaultyProxy): void => proxy.inject(WATCHES, errorEvent(code), 2);
        await clean(world);
        await endure(world, { inject, within: 5, streaming });
      }
    });

    once(`[D1] after HTTP refusals of a watch with each code, ${way}`, async (world) => {
      for (const code of world.place === "in the process" ? CODES : CODES_OF_WATCHES_ON_REAL_SERVER) {
        const inject = (proxy: FaultyProxy): void => proxy.inject(WATCHES, refuse(code), 2);
        await clean(world);
        await endure(world, { inject, within: 5, streaming });
      }
    });

    scenario(
      `after connections that are reset in a line, in a character, and half-closed, ${way}`,
      async (world) => {
        await endure(world, {
          inject: (proxy) =>
            inTurn(proxy, RESUMES, [
              cutInLine("reset"),
              cutInLine("reset", { after: 1 }),
              cutInLine("reset", { inCharacter: true }),
              cutInLine("half-close"),
              cutInLine("half-close", { after: 1 }),
              hangUp(),
            ]),
          within: 20,
          streaming,
        });
      },
    );

    once(`[D1] after servers that fall silent, ${way}`, async (world) => {
      await endure(world, {
        inject: (proxy) => inTurn(proxy, RESUMES, [silence(), deaf()]),
        within: 160,
        streaming,
      });
    });

    once(`although events come twice, ${way}`, async (world) => {
      await endure(world, { inject: (proxy) => proxy.inject(WATCHES, duplicate()), within: 2, streaming });
    });

    once(`although events come in the wrong order, ${way}`, async (world) => {
      await endure(world, { inject: (proxy) => proxy.inject(RESUMES, reorder()), within: 5, streaming });
    });

    scenario(`[D3] when objects vanish while the version expires, ${way}`, async (world) => {
      const endurance = await endure(world, {
        inject: (proxy) => proxy.inject(RESUMES, errorEvent(410)),
        within: 5,
        streaming,
      });
      const ends = [...endurance.told.values()].filter(({ deletions }) => deletions > 0);
      assert.deepEqual(ends.map(({ name, deletions }) => [name, deletions]).sort(), [["c", 1], ["d", 1]]);
    });
  }

  scenario("[D1] after lists that are refused, broken off, or no lists at all", async (world) => {
    await endure(world, {
      inject: (proxy) => {
        proxy.inject(RESUMES, errorEvent(410));
        const codes = world.place === "in the process" ? [401, 403, 404, 410, 429, 500, 503] : [404];
        inTurn(proxy, LISTS, [
          ...codes.map((code) => refuse(code)),
          hangUp(),
          cutInLine("reset"),
          cutInLine("half-close"),
          answer(""),
          answer("{}"),
          answer("<html>Login</html>"),
        ]);
      },
      within: 300,
      streaming: false,
    });
  });

  scenario("[C5] [D1] after a list that fails at its third page, and a token that expired", async (world) => {
    await endure(world, {
      inject: (proxy) => {
        proxy.inject(RESUMES, errorEvent(410));
        inTurn(proxy, page(3), [
          ...[500, 500, 500].map((code) => refuse(code)),
          hangUp(),
          cutInLine("reset"),
          refuse(410, { reason: "Expired" }),
        ]);
      },
      within: 20,
      streaming: false,
    });
  });

  scenario("with lists in one piece, when tokens expire again and again", async (world) => {
    await endure(world, {
      inject: (proxy) => {
        proxy.inject(RESUMES, errorEvent(410));
        proxy.inject(page(2), refuse(410, { reason: "Expired" }), 2);
        proxy.inject(page(2), refuse(410, { reason: "Expired" }), Infinity);
      },
      within: 10,
      streaming: false,
    });
  });

  scenario("[C12] [D1] when streamed lists are cut before their first bookmark", async (world) => {
    await endure(world, {
      inject: (proxy) => {
        proxy.inject(RESUMES, errorEvent(410));
        inTurn(proxy, STREAMED_LISTS, [
          cutAfter(0),
          cutAfter(2),
          cutAfter(3, "end"),
          cutInLine("half-close", { after: 1 }),
          silence(),
        ]);
      },
      within: 60,
      streaming: true,
    });
  });

  scenario("[D1] when everything is broken from the start", async (world) => {
    await endure(world, {
      atStart: true,
      inject: (proxy) => {
        inTurn(proxy, STREAMED_LISTS, [refuse(503), cutAfter(1)]);
        inTurn(proxy, WATCHES, [refuse(403), refuse(404)]);
      },
      within: 20,
      streaming: true,
    });
  });

  for (const streaming of [true, false]) {
    scenario(
      `[D1] when etcd is restored to an older state, ${streaming ? "with streamed lists" : "with pages"}`,
      async (world) => {
        await using place = await world.proxy();
        const { proxy } = place;
        const inactivityTimeout = world.place === "in the process" ? 70 : 2;
        const endurance = new Endurance(world, {
          watching: { initialStreaming: streaming, inactivityTimeout },
        });
        proxy.translate = shiftVersions(100_000);
        await endurance.make(NAMES);
        const running = await world.start(endurance.op);
        await endurance.endure(60);
        endurance.isRestored = true;
        proxy.translate = undefined;
        place.breakAll();
        await endurance.disturb(1);
        await endurance.endure(200);
        await endurance.mend(5);
        await endurance.objects.patch("e", { spec: { n: 5 } });
        await endurance.endure(5);
        await running.stop();
      },
    );
  }

  scenario.virtual(
    "[D2] without asking a server that ends each stream more than a few dozens of times",
    async (world) => {
      await using place = await world.proxy();
      const endurance = new Endurance(world);
      await endurance.make(NAMES);
      const running = await world.start(endurance.op);
      place.proxy.inject(WATCHES, cutAfter(0, "end"), Infinity);
      place.breakAll();
      const before = place.proxy.seen.length;
      await world.host.clock.advance(60);
      const asked = place.proxy.seen.length - before;
      assert.ok(asked > 5 && asked < 36, `${asked} requests in a minute`);
      await endurance.disturb(1);
      place.proxy.clear();
      await endurance.endure(46);
      await running.stop();
    },
  );
});

function expiredAndCut(...[passing, forward]: Parameters<Fault>): ReturnType<Fault> {
  const fault = passing.query.has("sendInitialEvents") ? cutAfter(1) : refuse(410);
  return fault(passing, forward);
}

/** Faults that last: of which requests, and by when readiness must tell, in seconds. */
const LASTING: readonly [
  title: string,
  when: Parameters<FaultyProxy["inject"]>[0],
  fault: Fault,
  streaming: boolean,
  within: number,
][] = [
  ...CODES.flatMap((code): [string, typeof WATCHES, Fault, boolean, number][] => [
    [`watches are answered with ${code}`, WATCHES, refuse(code), false, 62],
    [`watches say ERROR ${code}`, WATCHES, errorEvent(code), false, 62],
    [`streamed lists are answered with ${code}`, WATCHES, refuse(code), true, 62],
  ]),
  ["watches are hung up on", WATCHES, hangUp(), true, 62],
  ["watches are reset in their first line", WATCHES, cutInLine("reset"), true, 62],
  ["versions expire, and streamed lists are cut", WATCHES, expiredAndCut, true, 62],
  ["streams are answered with something else", WATCHES, answer("<html>Login</html>\n"), false, 62],
  ["nothing is answered", ({ verb }) => verb !== "other", deaf(), false, 90],
  ["everything is refused", () => true, refuse(500), false, 62],
  ["everything is hung up on", () => true, hangUp(), true, 62],
];

suite("Readiness", (scenario) => {
  for (const [title, when, fault, streaming, within] of LASTING) {
    scenario.virtual(
      `[D1] turns red while ${title}, and is green again with the next success`,
      async (world) => {
        await using place = await world.proxy();
        const { proxy } = place;
        const endurance = new Endurance(world, {
          watching: { initialStreaming: streaming, chunkSize: 2 },
          networking: { errorBackoffs: [0.2, 0.4], requestTimeout: 20 },
        });
        await endurance.make(NAMES);
        const running = await world.start(endurance.op, { liveness: LIVENESS });
        await endurance.endure(5);
        assert.deepEqual(await ask(world, "/readyz"), [200, "ok"]);
        proxy.inject(when, fault, Infinity);
        place.breakAll();
        const isReady = async (): Promise<boolean> => (await ask(world, "/readyz"))[0] === 200;
        await endurance.disturb(1);
        const { clock } = world.host;
        const begun = clock.monotonic();
        while (await isReady()) {
          assert.ok(clock.monotonic() - begun < within, `It is green after ${within} s`);
          await clock.advance(1);
        }
        await clock.advance(30);
        assert.equal(await isReady(), false);
        proxy.clear();
        const over = clock.monotonic();
        while (!await isReady()) {
          assert.ok(clock.monotonic() - over < 67, "It is red after 67 s");
          await clock.advance(1);
        }
        await endurance.endure(5);
        await running.stop();
      },
    );
  }
});

/** Another trial in the same world begins with nothing. */
async function clean({ client, namespace }: World): Promise<void> {
  for await (const { items } of client.list(EXAMPLES, { namespace })) {
    for (const { metadata } of items) {
      await client.delete(EXAMPLES, { namespace, name: metadata.name ?? "" });
    }
  }
}
