import assert from "node:assert/strict";
import { operator, persistence } from "../../mod.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { resource } from "../../lib/registry/resource.ts";
import { formatJson } from "../../lib/runtime/json.ts";
import type { LogRecord } from "../../lib/runtime/logging.ts";
import { suite } from "../support/scenario.ts";
import { Example, LAST_HANDLED, type Loose, notesOf, Objects, type World } from "../support/worlds.ts";

const SECRETS = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true } as const;
const EVENTS = {
  group: "events.k8s.io",
  version: "v1",
  plural: "events",
  kind: "Event",
  namespaced: true,
} as const;
const Secret = resource<Loose, Loose>(SECRETS);

/** The values, as texts that nothing else contains, and in base64. */
const VALUES = ["hunter2-first", "hunter2-second", "hunter2-third"];
const [FIRST = "", SECOND = "", THIRD = ""] = VALUES.map((value) => btoa(value));

const HIDDEN = "(confidential)";

/** Everything that was logged, as text, with the messages of errors. */
function linesOf(logs: readonly LogRecord[]): string {
  return logs.map(({ message, fields }) => {
    const { error, ...rest } = fields;
    return `${message} ${error instanceof Error ? `${error.message} ${error.stack}` : ""} ${
      formatJson(rest)
    }`;
  }).join("\n");
}

function assertHidden(text: string, where: string): void {
  for (const value of [...VALUES, FIRST, SECOND, THIRD, "hunter2"]) {
    assert.ok(!text.includes(value), `${where} shows ${value}: ${text.slice(0, 2000)}`);
  }
}

class Secrets {
  readonly #world: World;
  readonly #address: { readonly namespace: string; readonly name: string };

  constructor(world: World) {
    this.#world = world;
    this.#address = { namespace: world.namespace, name: "login" };
  }

  create(data: Loose): Promise<KubeObject> {
    const object = { apiVersion: "v1", kind: "Secret", metadata: this.#address, data };
    return this.#world.client.create(SECRETS, object);
  }
  patch(body: Loose): Promise<KubeObject> {
    return this.#world.client.patch(SECRETS, this.#address, { type: "merge", body });
  }
  get(): Promise<KubeObject<Loose, Loose>> {
    return this.#world.client.get(SECRETS, this.#address);
  }
}

async function eventsIn({ client, namespace }: World): Promise<string> {
  const texts: string[] = [];
  for await (const { items } of client.list(EVENTS, { namespace })) texts.push(formatJson(items));
  return texts.join("\n");
}

suite("confidential data", (scenario) => {
  for (
    const [notes, storage] of [["our", persistence.annotations()], ["Kopf's", persistence.kopf()]] as const
  ) {
    scenario(
      `[P5] of Secrets are in no log line, event or note (with ${notes} notes), and their changes are seen by path`,
      async (world) => {
        const secrets = new Secrets(world);
        const op = operator({ persistence: storage, posting: { loggers: true, level: "debug" } });
        const diffs: unknown[] = [];
        op.on.create(Secret, () => void diffs.push("create"));
        op.on.update(Secret, { id: "change" }, ({ diff }) => void diffs.push(diff.map((item) => [...item])));
        const running = await world.start(op);
        await secrets.create({ password: FIRST, user: THIRD });
        await world.until(() => diffs.length === 1);
        await world.settle();
        await secrets.patch({ data: { password: SECOND, user: null, token: THIRD } });
        await world.until(() => diffs.length === 2);
        await world.settle();
        assert.deepEqual(diffs, ["create", [
          ["add", ["data", "token"], undefined, THIRD],
          ["remove", ["data", "user"], HIDDEN, undefined],
          ["change", ["data", "password"], HIDDEN, SECOND],
        ]]);
        const [line] = running.logs.filter(({ message }) => message === "Essence differs");
        assert.deepEqual(line?.fields.diff, [
          ["add", ["data", "token"]],
          ["remove", ["data", "user"]],
          ["change", ["data", "password"]],
        ]);
        assertHidden(linesOf(running.logs), "the log");
        assertHidden(formatJson((await secrets.get()).metadata), "the metadata");
        const events = await eventsIn(world);
        assertHidden(events, "an event");
        assert.match(events, /Essence differs/);
        await running.stop();

        const again = await world.start(op);
        await world.settle();
        assert.equal(diffs.length, 2, "the next process finds nothing changed");
        await secrets.patch({ metadata: { labels: { a: "b" } } });
        await world.until(() => diffs.length === 3);
        assert.deepEqual(diffs[2], [["add", ["metadata"], undefined, { labels: { a: "b" } }]]);
        await again.stop();
      },
    );
  }

  scenario(
    "[P5] of other kinds are what the settings name; notes of before are hidden at the next start",
    async (world) => {
      const objects = new Objects(world);
      const calls: unknown[] = [];
      const makeOperator = (confidential: Readonly<Record<string, readonly string[]>>) => {
        const op = operator({ persistence: { confidential } });
        op.on.create(Example, () => void calls.push("create"));
        op.on.update(Example, ({ diff }) => void calls.push(diff.map((item) => [...item])));
        return op;
      };
      const open = await world.start(makeOperator({}));
      await objects.create("one", {
        spec: { login: { password: FIRST, user: "me" }, keys: [FIRST, SECOND] },
      });
      await world.until(async () =>
        notesOf(await objects.get("one"))[LAST_HANDLED]?.includes(FIRST) === true
      );
      await open.stop();

      const op = makeOperator({ "examples.lotse.test": ["spec.login.password", "spec.keys"] });
      const running = await world.start(op);
      await world.until(async () =>
        notesOf(await objects.get("one"))[LAST_HANDLED]?.includes(FIRST) === false
      );
      assert.match(notesOf(await objects.get("one"))[LAST_HANDLED] ?? "", /"user":"me"/);
      await objects.patch("one", { spec: { login: { password: SECOND, user: "you" } } });
      await world.until(() => calls.length === 2);
      await world.settle();
      await objects.patch("one", { spec: { keys: [FIRST, THIRD] } });
      await world.until(() => calls.length === 3);
      await world.settle();
      assert.deepEqual(calls, [
        "create",
        [
          ["change", ["spec", "login", "password"], HIDDEN, SECOND],
          ["change", ["spec", "login", "user"], "me", "you"],
        ],
        [["change", ["spec", "keys"], HIDDEN, [FIRST, THIRD]]],
      ]);
      const lines = running.logs.filter(({ message }) => message === "Essence differs");
      assert.deepEqual(lines.map(({ fields }) => fields.diff), [
        [["change", ["spec", "login", "password"]], ["change", ["spec", "login", "user"], "me", "you"]],
        [["change", ["spec", "keys"]]],
      ]);
      assertHidden(linesOf(running.logs) + formatJson(notesOf(await objects.get("one"))), "log or note");
      await running.stop();
    },
  );

  scenario.virtual(
    "[P5] are not repeated from a refusal of the server's, which names the fields",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ persistence: { confidential: { examples: ["spec.password"] } } });
      op.on.create(Example, { id: "make", retries: 2, backoff: 1 }, ({ patch, spec }) => {
        patch.spec.password = `${spec.password}!`;
      });
      world.intercept = (_, { method, body }) =>
        method === "PATCH" && body.includes("!") ? refusal(FIRST) : undefined;
      const running = await world.start(op);
      await objects.create("one", { spec: { password: FIRST } });
      await running.advance(10);
      const text = linesOf(running.logs);
      assert.match(text, /The server refuses what was written/);
      assert.match(text, /fields: spec\.password/);
      assertHidden(text + formatJson(notesOf(await objects.get("one"))), "log or note");
      await running.stop();
    },
  );
});

function refusal(value: string): Response {
  const message = `Invalid value: "${value}": spec.password in body should match '^x$'`;
  const causes = [{ reason: "FieldValueInvalid", field: "spec.password", message }];
  const body = {
    kind: "Status",
    apiVersion: "v1",
    code: 422,
    reason: "Invalid",
    message,
    details: { causes },
  };
  return Response.json(body, { status: 422 });
}
