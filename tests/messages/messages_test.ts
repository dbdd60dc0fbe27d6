/**
 * What people are told who use Lotse wrongly: each message says what is wrong and what to write instead, and leads to the
 * author's own line.
 */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { z } from "zod";
import { importFiles, operatorsOf } from "../../lib/cli/loading.ts";
import { main } from "../../lib/cli/main.ts";
import { apiServer } from "../../lib/kits/apiserver/mod.ts";
import { start, virtualHost } from "../../lib/kits/testing/mod.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { adopt } from "../../lib/public/hierarchies.ts";
import { kinds, operator, persistence, resource, TemporaryError, webhookServer } from "../../mod.ts";
import { project } from "../cli/processes.ts";

/** As code looks that no compiler has seen. */
type Loose = ((...args: readonly unknown[]) => unknown) & { readonly [name: string]: Loose };

function loose(value: unknown): Loose {
  return value as Loose; // that is the point here
}

const THING = { group: "example.com", version: "v1", plural: "things", kind: "Thing" };
const Thing = resource(THING);
const on = (): Loose => loose(operator().on);
const nothing = () => {};
const spec = z.object({ size: z.int() });

/** What is wrong, what is said, and the code. */
type Row = readonly [wrong: string, message: string | RegExp, code: () => unknown];

const IN_CODE: readonly Row[] = [
  [
    "a misspelt setting",
    'Cannot set "execution.defaultBakoff": there is no such setting; did you mean "execution.defaultBackoff"?',
    () => loose(operator)({ execution: { defaultBakoff: 1 } }),
  ],
  [
    "a misspelt section",
    'Cannot set "executon": there is no such section; did you mean "execution"?',
    () => loose(operator)({ executon: {} }),
  ],
  [
    "a text for a time",
    'Cannot set "execution.defaultBackoff" to "10": expected a number of seconds, 0 or more',
    () => loose(operator)({ execution: { defaultBackoff: "10" } }),
  ],
  [
    "a time that cannot be",
    'Cannot set "execution.defaultBackoff" to -1: expected a number of seconds, 0 or more',
    () => operator({ execution: { defaultBackoff: -1 } }),
  ],
  [
    "a persistence by its name",
    'Cannot set "persistence" to "status": expected an object of settings such as persistence.status()',
    () => loose(operator)({ persistence: "status" }),
  ],
  [
    "crds of another sort",
    'Cannot make an operator with crds "yes": take "apply", or leave it out',
    () => loose(operator)({ crds: "yes" }),
  ],
  [
    "a lifecycle by its name",
    'Cannot take "asap" for a lifecycle: take one of `lifecycles`, or a function',
    () => loose(operator)({ lifecycle: "asap" }),
  ],
  [
    "a name that is no domain",
    'Cannot set "admission.managed" to "Nope": expected a domain in lower case such as "lotse.example.com", or null',
    () => operator({ admission: { managed: "Nope" } }),
  ],
  [
    "a kind without a name",
    'Cannot select resources: a name is missing, such as { plural: "pods" }; EVERYTHING selects all of them',
    () => loose(resource)({ group: "example.com", version: "v1" }),
  ],
  [
    "a kind as a text",
    "Cannot declare a kind: pass an object, such as { group, version, plural }",
    () => loose(resource)("things"),
  ],
  [
    "a misspelt option of a kind",
    /^Cannot declare a kind with option "colums": known are .* \(did you mean "columns"\?\)$/,
    () => loose(resource)({ ...THING, colums: {} }),
  ],
  [
    "a plural with a capital",
    'Cannot declare a kind with the plural "Things": Kubernetes has them in lower case, take "things"',
    () => resource({ ...THING, plural: "Things" }),
  ],
  [
    "a schema that is none",
    'Cannot declare a kind with this "spec": it is no schema, take one of zod, ArkType or valibot (z.object({ … }))',
    () => loose(resource)({ ...THING, spec: { size: "number" } }),
  ],
  [
    "a handler without a kind",
    'Cannot register a handler without a kind: pass it first, a constant of resource() or a name such as "pods.v1"',
    () => on()["create"]?.(nothing),
  ],
  [
    "a kind that was not imported",
    'Cannot select resources by undefined: pass a constant of resource(), or a name such as "pods.v1" (is it imported?)',
    () => on()["create"]?.(undefined, nothing),
  ],
  [
    "an empty name of a kind",
    'Cannot select resources: the name is empty, give one such as "pods"',
    () => operator().on.create("", nothing),
  ],
  [
    "several kinds at once",
    "Cannot select resources by a list: register the handler once for each kind",
    () => on()["create"]?.(["pods", "nodes"], nothing),
  ],
  [
    "a handler without a function",
    "Cannot register a handler without a function: pass it as the last argument",
    () => on()["create"]?.(Thing),
  ],
  [
    "options behind the function",
    "Cannot register a handler without a function: pass it as the last argument",
    () => on()["create"]?.(Thing, nothing, { retries: 3 }),
  ],
  [
    "a misspelt option",
    /^Cannot register a handler of "create" with option "retry": known are id, .* \(did you mean "retries"\?\)$/,
    () => on()["create"]?.(Thing, { retry: 3 }, nothing),
  ],
  [
    "an option of another cause",
    /^Cannot register a handler of "create" with option "old": known are id, /,
    () => on()["create"]?.(Thing, { field: "spec.size", old: 1 }, nothing),
  ],
  [
    "a number that cannot be",
    'Cannot take -1 for "retries": it must be a number of at least 0',
    () => operator().on.create(Thing, { retries: -1 }, nothing),
  ],
  [
    "an unknown mode of errors",
    'Cannot treat errors as "fatal": take "temporary", "permanent" or "ignored"',
    () => on()["create"]?.(Thing, { errors: "fatal" }, nothing),
  ],
  [
    "an empty id",
    "Cannot register a handler with an empty id: leave it out, or name it",
    () => operator().on.create(Thing, { id: "" }, nothing),
  ],
  [
    "two handlers of one name",
    'Cannot register two handlers with the id "make" for "things.v1.example.com": give one of them another id',
    () => {
      const op = operator();
      op.on.create(Thing, function make() {});
      op.on.create(Thing, { id: "make" }, nothing);
    },
  ],
  [
    "a value and an end of the change",
    'Cannot filter a handler of "update" by "value" and "new": take one or the other',
    () => on()["update"]?.(Thing, { field: "spec.size", value: 1, new: 2 }, nothing),
  ],
  [
    "a value of no field",
    'Cannot filter a handler of "create" by "value": it needs a field to look at',
    () => on()["create"]?.(Thing, { value: 1 }, nothing),
  ],
  [
    "labels as kubectl has them",
    'Cannot filter by "labels": it must be an object of names and values',
    () => on()["create"]?.(Thing, { labels: "tier=gold" }, nothing),
  ],
  [
    "a label that is no text",
    'Cannot filter by "labels" where "tier" is of type "number": take a string, PRESENT, ABSENT or a function',
    () => on()["create"]?.(Thing, { labels: { tier: 1 } }, nothing),
  ],
  [
    "a condition that is no function",
    'Cannot take true for "when": it must be a function',
    () => on()["create"]?.(Thing, { when: true }, nothing),
  ],
  [
    "a condition that takes its time",
    'Cannot filter by an async function in "when": its promise would always count as true (look things up in an index or in op.cache, or ask in the handler)',
    () => on()["create"]?.(Thing, { when: async () => await Promise.resolve(true) }, nothing),
  ],
  [
    "a field handler without a field",
    'Cannot register field handler "nothing": its field is missing',
    () => on()["field"]?.(Thing, nothing),
  ],
  [
    "an interval as a text",
    'Cannot take "10s" for "interval": it must be a number of seconds above 0',
    () => loose(operator())["timer"]?.(Thing, { interval: "10s" }, nothing),
  ],
  [
    "a timer that would never rest",
    'Cannot take 0 for "interval": it must be a number of seconds above 0',
    () => operator().timer(Thing, { interval: 0 }, nothing),
  ],
  [
    "half a retry",
    'Cannot take 1.5 for "retries": it must be a whole number',
    () => operator().on.create(Thing, { retries: 1.5 }, nothing),
  ],
  [
    "an interval of a daemon",
    /^Cannot register a handler of "daemon" with option "interval": known are id, .* initialDelay, /,
    () => loose(operator())["daemon"]?.(Thing, { interval: 10 }, nothing),
  ],
  [
    "an unknown operation",
    'Cannot take "create" for an operation: known are CREATE, UPDATE, DELETE, CONNECT',
    () => on()["validate"]?.(Thing, { operations: ["create"] }, nothing),
  ],
  [
    "a generator for a handler",
    "Cannot register a generator function: its code would never run (make it an ordinary or an async one)",
    () =>
      on()["create"]?.(Thing, function* () {
        yield 1;
      }),
  ],
  [
    "a class for a handler",
    'Cannot register class "Handler": it cannot be called (pass a function, such as a method of an instance)',
    () => loose(operator().on)["create"]?.(Thing, class Handler {}),
  ],
  [
    "a class for a task",
    'Cannot register class "Task": it cannot be called (pass a function, such as a method of an instance)',
    () => loose(operator())["every"]?.("look", { interval: 1 }, class Task {}),
  ],
  [
    "an id that Kopf's notes cannot have",
    'Cannot keep the progress of "größe" in the way of Kopf: Kubernetes takes no annotation "kopf.zalando.org/größe" (give the handler an id of ASCII letters, digits, "-", "_" and ".", or keep notes in another way)',
    () => operator({ persistence: persistence.kopf() }).on.create(Thing, { id: "größe" }, nothing),
  ],
  [
    "a misspelt option of the webhook server",
    'Cannot make a webhook server: there is no option "prot"; did you mean "port"?',
    () => loose(webhookServer)({ prot: 9443 }),
  ],
  [
    "a port that there is not",
    "Cannot make a webhook server: there is no port 99999",
    () => webhookServer({ port: 99_999 }),
  ],
  [
    "half a certificate",
    'Cannot make a webhook server: "certfile" and "pkeyfile" go together',
    () => webhookServer({ certfile: "tls.crt" }),
  ],
  [
    "a delay as a text",
    'Cannot wait for "5": give a number of seconds',
    () => loose((options: { delay: number }) => new TemporaryError("Later", options))({ delay: "5" }),
  ],
  [
    "a delay without its name",
    "Cannot take 5 for options: give the delay as { delay: 5 }",
    () => loose((options: object) => new TemporaryError("Later", options))(5),
  ],
  [
    "the API before the operator runs",
    "Cannot reach the API: the operator is not running (call it from handlers only)",
    () => operator().api.get(kinds.Pod, { name: "a", namespace: "default" }),
  ],
  [
    "events before the operator runs",
    "Cannot post events: the operator is not running (call it from handlers only)",
    () => operator().events.normal({ kind: "Pod", metadata: {} }, { reason: "A", message: "b" }),
  ],
  [
    "adoption outside of handlers",
    "Cannot tell the owner: no handler of an object is running here; pass it as `owner`",
    () => adopt({}),
  ],
  [
    "a misspelt option of the run",
    /^Cannot run an operator with option "namespaces": known are signal, .* scope, /,
    () => loose(operator())["run"]?.({ namespaces: ["a"] }),
  ],
  [
    "a namespace as a text",
    'Cannot run in this scope: take "cluster", or a list of namespaces, globs or regular expressions',
    () => loose(operator())["run"]?.({ scope: "default" }),
  ],
  [
    "a signal that is none",
    "Cannot run an operator with this signal: pass that of an AbortController",
    () => loose(operator())["run"]?.({ signal: new AbortController() }),
  ],
  [
    "no namespace",
    'Cannot run in no namespace: name some, or take "cluster"',
    () => operator().run({ scope: [] }),
  ],
];

describe("Wrong use in code is told of", () => {
  it("in forty cases and more", () => assert.ok(IN_CODE.length >= 40, `${IN_CODE.length}`));

  for (const [wrong, message, code] of IN_CODE) {
    it(`with what to write, and the author's line: ${wrong}`, async () => {
      let error: unknown;
      try {
        await code(); // NB: JavaScriptCore has no frames of functions that end with a call, as those of the table do
      } catch (thrown) {
        error = thrown;
      }
      assert.ok(error instanceof Error, "nothing was said");
      if (typeof message === "string") assert.equal(error.message, message);
      else assert.match(error.message, message);
      // The first frames may be those of the call that failed; the next one is the author's.
      const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at |@/.test(line));
      const [first = ""] = frames.filter((frame) => !/\/lib\/|native|ext:|<anonymous>$/.test(frame));
      assert.match(first, /messages_test\.ts/, error.stack ?? "");
    });
  }
});

/** The arguments, and what is written to the standard error stream. */
const ON_THE_COMMAND_LINE:
  readonly (readonly [wrong: string, args: readonly string[], message: string | RegExp])[] = [
    ["an unknown command", ["rum", "a.ts"], /unknown command 'rum'\n\(Did you mean run\?\)/],
    [
      "an unknown option",
      ["run", "a.ts", "--namespaces", "x"],
      /unknown option '--namespaces'\n\(Did you mean --namespace\?\)/,
    ],
    ["no file", ["run"], /missing required argument 'files'/],
    [
      "a missing file",
      ["run", "absent.ts"],
      /^error: Cannot load "absent.ts": there is no such file in "\/work"/,
    ],
    ["contradictory options", ["run", "a.ts", "-A", "-n", "x"], /exclude each other: give one of them/],
    [
      "a port that is none",
      ["apiserver", "--port", "70000"],
      /"70000" is not a port: give a number from 0 \(any free one\) to 65535/,
    ],
    ["a word for a number", ["run", "a.ts", "--priority", "high"], /"high" is not a whole number/],
    ["an unknown format", ["run", "a.ts", "--log-format", "xml"], /"xml" is none of plain, full, json/],
    ["a missing option", ["build", "a.ts"], /the option "-o, --output <file>" is missing/],
    [
      "a manifest that is not there",
      ["generate", "types", "absent.yaml"],
      /Cannot read "absent.yaml": there is no such file/,
    ],
    [
      "a name for Kubernetes to refuse",
      ["new", "My_Operator"],
      /Kubernetes wants lower-case letters.*\(such as "my-operator"\)/,
    ],
    [
      "a folder that is not empty",
      ["new", "full"],
      /the folder is not empty, "a.txt" is in it \(name another folder\)/,
    ],
    [
      "a wrong switch in a variable",
      ["run", "a.ts"],
      /Cannot use the variable LOTSE_RUN_STANDALONE: "maybe" is neither true nor false/,
    ],
  ];

describe("Wrong use of the command line is told of", () => {
  for (const [wrong, args, message] of ON_THE_COMMAND_LINE) {
    it(`in a sentence: ${wrong}`, async () => {
      const env: Record<string, string> = wrong.includes("variable") ? { LOTSE_RUN_STANDALONE: "maybe" } : {};
      const host = virtualHost({ files: { "/work/full/a.txt": "" }, env, cwd: "/work" });
      assert.notEqual(await main(host, args), 0);
      assert.match(host.process.stderr, new RegExp(message));
      assert.doesNotMatch(host.process.stderr, /^\s+at /m, "a stack");
    });
  }
});

/** What a file says, and what is told of it. */
const IN_FILES: readonly (readonly [wrong: string, text: string, message: RegExp])[] = [
  [
    "no operator",
    "export const a = 1;\n",
    /it exports no operator \(declare some on operator\(\), and add "export default op"\)/,
  ],
  [
    "an operator that is not the default",
    'import { operator } from "@lotse/lotse";\nexport const bot = operator();\n',
    /its operator is exported as "bot": add "export default bot"/,
  ],
  [
    "something else as the default",
    "export default 5;\n",
    /its default export is no operator \(add "export default op", where op is operator\(\)\)/,
  ],
  [
    "no handlers",
    'import { operator } from "@lotse/lotse";\nexport default operator();\n',
    /its operator has no handlers \(declare some with op\.on\)/,
  ],
  [
    "a wrong option",
    'import { operator } from "@lotse/lotse";\nconst op = operator();\nop.on.create("pods", { retry: 3 }, () => {});\n',
    /did you mean "retries"\?\)\n {2}at .*:3\n {2}3 \| op\.on\.create\("pods", \{ retry: 3 \}/,
  ],
  ["bad syntax", "const a: number = 1;\nconst b = = 2;\n", /at .*:2\n {2}2 \| const b = = 2;/],
];

describe("A wrong file is told of", () => {
  const folder = project({});
  for (const [number, [wrong, text, message]] of IN_FILES.entries()) {
    it(`with its line where it has one: ${wrong}`, async () => {
      const path = join(folder, `file${number}.ts`);
      writeFileSync(path, text.replace("@lotse/lotse", new URL("../../mod.ts", import.meta.url).href));
      const load = async () => operatorsOf(await importFiles([path], { host: currentHost() }));
      await assert.rejects(load, { name: "CommandError", message });
    });
  }
});

describe("What a cluster does not have is told of", () => {
  it("once, with what to do: a kind, and a field", async () => {
    const op = operator();
    op.on.create("unicorns.example.com", nothing);
    const cluster = apiServer({ host: virtualHost() });
    await using runner = await start(op, { cluster });
    const [warning, ...more] = runner.logs.filter(({ level }) => level === "warn");
    assert.equal(warning?.message, "Nothing matches the selector yet: its handlers wait for such a kind");
    assert.deepEqual([warning?.fields["selector"], more], ["unicorns.example.com", []]);
  });

  it("before anything begins: a server for admission", async () => {
    const op = operator();
    op.on.validate(Thing, function check() {});
    const cluster = apiServer({ host: virtualHost() });
    await assert.rejects(start(op, { cluster }), {
      message:
        'Cannot serve admission handler "check" for "things.v1.example.com": there is no server for it (set admission.server, such as to webhookServer())',
    });
  });

  it("in a sentence: a schema that Kubernetes cannot have", async () => {
    const { makeCrds } = await import("../../lib/kits/definitions/mod.ts");
    const wrong = resource({ ...THING, spec: z.object({ born: z.date() }) });
    assert.throws(() => makeCrds([wrong.options]), /spec\.born: a Date \(take z\.iso\.datetime\(\)\)/);
    const column = resource({ ...THING, spec, columns: { Width: "spec.width" } });
    assert.throws(() => makeCrds([column.options]), /"spec\.width"/);
  });
});
