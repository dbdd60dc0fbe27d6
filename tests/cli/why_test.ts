import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { main } from "../../lib/cli/main.ts";
// A virtual clock does not wait for files that are loaded late.
import "../../lib/cli/log_level.ts";
import { listenForLevel } from "../../lib/cli/signals.ts";
import "../../lib/cli/top.ts";
import "../../lib/cli/why.ts";
import { LevelSwitch } from "../../lib/runtime/level_switch.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { operator, TemporaryError } from "../../mod.ts";
import { LIVENESS, scrapeText } from "../support/samples.ts";
import { suite } from "../support/scenario.ts";
import { sized } from "../support/size.ts";
import { type VirtualWorld, virtualWorld } from "../support/virtual_world.ts";
import { Example, Objects } from "../support/worlds.ts";

/** Runs a command on the world's own machine, and returns its code and what it has printed. */
async function run({ host }: VirtualWorld, ...args: string[]): Promise<{ code: number; output: string }> {
  const before = host.process.stdout.length + host.process.stderr.length;
  let code: number | undefined;
  void main(host, args).then((ended) => code = ended);
  await host.clock.until(() => code !== undefined, { within: 60 });
  return { code: code ?? -1, output: (host.process.stdout + host.process.stderr).slice(before) };
}

async function filesOf({ host: { files } }: VirtualWorld): Promise<string[]> {
  const names = await files.exists("/tmp") ? await files.list("/tmp") : [];
  return names.filter((name) => name.startsWith("lotse-"));
}

suite("asking an operator on its machine", (scenario) => {
  scenario.virtual(
    "[N22.2] why, queue and top print what it says, and leave nothing behind",
    async (world) => {
      const op = operator();
      op.on.create(Example, function provision({ name }) {
        if (name === "stuck") return new Promise<void>(() => {});
        throw new TemporaryError("The volume is not bound yet", { delay: 60 });
      });
      const running = await world.start(op, { questions: true, liveness: "http://localhost:8080/healthz" });
      const objects = new Objects(world);
      await objects.create("one");
      await objects.create("stuck");
      await running.advance(70);
      const why = await run(world, "why", "examples", "default/one");
      assert.equal(why.code, 0, why.output);
      assert.match(
        why.output,
        /^examples\.lotse\.test default\/one\n {2}Handler "provision" has failed \d+ times in a row: TemporaryError: The volume is not bound yet; the next attempt comes in \d+ s\.\n/,
      );
      assert.match(
        why.output,
        /\nHandlers\n {2}provision: is tried again\n\nLatest looks\n {2}\S+ {2}a planned turn; provision failed: .*; next turn at \S+\n/,
      );
      const json = await run(world, "why", "Example", "one", "--json");
      assert.equal((JSON.parse(json.output) as { format: string }).format, "lotse.dev/why/v1");
      const queue = await run(world, "queue");
      assert.match(
        queue.output,
        /^1 running, 0 waiting, 1 planned\n {2}running for \d+ (s|min): examples\.lotse\.test default\/stuck \(event\)\n/,
      );
      const top = await run(world, "top", "--once");
      assert.match(top.output, /^objects 2, queue 0, at work 1, planned 1, CPU /);
      assert.match(
        top.output,
        /\nHANDLER +KIND +ACTIVE +FOR +CALLS +FAILED +FAILING +SINCE +P50 +P99 +COMPUTED +REQUESTS +BYTES\nprovision +examples\.lotse\.test +1 +\d+ (s|min) +\d+ +\d+ +1 +\d+ (s|min)/,
      );
      assert.match(
        top.output,
        /\nSTREAM +LISTED +SILENT +EVENTS +PER SECOND +RESTARTS +FAILURES\nexamples\.lotse\.test +yes +/,
      );
      assert.doesNotMatch(
        (await run(world, "top", "--once", "--filter", "nothing")).output,
        /provision|STREAM/,
      );
      const [told] = JSON.parse((await run(world, "top", "--json", "--sort", "active")).output);
      assert.deepEqual([told.handlers[0].active, told.streams[0].restarts], [1, 0]);
      // Two looks, two seconds apart.
      void main(world.host, ["top"]);
      await objects.patch("one", { spec: { size: 2 } });
      await running.advance(3);
      assert.match(world.host.process.stdout, /\nexamples\.lotse\.test +yes +.* +\d+ +[0-9.]+ +0 +0\n/);
      await running.stop();
      assert.deepEqual(await filesOf(world), []);
      const gone = await run(world, "why", "examples", "one");
      assert.equal(gone.code, 1);
      assert.match(
        gone.output,
        /^error: No operator on this machine answers questions \(.*--operator.*--offline/,
      );
    },
  );

  scenario.virtual("[N22.6] top keeps to the screen, and heeds keys", async (world) => {
    const { host } = world;
    const op = operator();
    for (const id of ["quiet", "busy", "last"]) {
      op.on.create(Example, { id }, async ({ namespace, name }) => {
        if (id === "busy") await op.api.get(Example, { namespace: namespace ?? "", name });
      });
    }
    const running = await world.start(op, { questions: true, liveness: LIVENESS });
    await new Objects(world).create("one");
    await running.advance(5);
    let code: number | undefined;
    host.process.resizeTerminal({ columns: 100, rows: 12 });
    void main(host, ["top", "--interval", "60"]).then((ended) => code = ended);
    const screen = async (): Promise<string[]> => {
      await running.advance(0.1);
      return host.process.stdout.split("\x1b[H\x1b[2J").at(-1)?.split("\n") ?? [];
    };
    const handlers = async (): Promise<string[]> =>
      (await screen()).map((line) => line.split(" ")[0] ?? "").filter((word) => /^[a-z]{4,5}$/.test(word));
    const first = await screen();
    assert.ok(first.length <= 12 && first.every((line) => line.length <= 100), first.join("\n"));
    assert.match(first.join("\n"), /^objects 1, [^]*\nHANDLER .*…\nbusy .*\nlast .*\nquiet .*\n\nSTREAM /);
    assert.equal(first.at(-1), "s sort (failing)  / filter  q quit");
    // A smaller screen, at once.
    host.process.resizeTerminal({ columns: 160, rows: 9 });
    const small = await screen();
    assert.ok(small.length <= 9, small.join("\n"));
    assert.match(small.join("\n"), /COMPUTED {2}REQUESTS {2}BYTES\n.*\n/);
    host.process.resizeTerminal({ columns: 160, rows: 30 });
    const sorted = async (column: string): Promise<string[]> => {
      for (let presses = 0; presses < 10; presses++) {
        if ((await screen()).at(-1)?.includes(`sort (${column})`)) return await handlers();
        host.process.press("s");
      }
      assert.fail(`no key sorts by ${column}`);
    };
    assert.deepEqual((await sorted("requests"))[0], "busy");
    assert.deepEqual(await sorted("handler"), ["busy", "last", "quiet"]);
    for (const key of ["/", "q", "x", "\x7f", "u"]) host.process.press(key);
    assert.equal((await screen()).at(-1), "filter: qu");
    host.process.press("\r");
    assert.deepEqual(await handlers(), ["quiet"]);
    assert.match((await screen()).at(-1) ?? "", / {2}\/ filter \(qu\) {2}q quit$/);
    for (const key of ["/", "z", "\x1b"]) host.process.press(key);
    assert.deepEqual(await handlers(), ["quiet"]);
    assert.equal(code, undefined);
    host.process.press("q");
    await running.advance(0.1);
    assert.deepEqual([code, host.process.press("q")], [0, false]);
    await running.stop();
  });

  scenario.virtual(
    "[N22.2] nobody is answered without the token, and questions are read with care",
    async (world) => {
      const op = operator();
      op.on.create(Example, function make() {});
      const { host } = world;
      const left = (name: string, pid: number): Promise<void> =>
        host.files.writeText(
          `/tmp/lotse-ask-${name}/endpoint.json`,
          JSON.stringify({ format: "lotse.dev/ask/v1", pid }),
        );
      await left("killed", 4711);
      await left("restarted", host.process.pid);
      await host.files.writeText("/tmp/lotse-ask-other/endpoint.json", "not written yet");
      const running = await world.start(op, { questions: true });
      const folders = await filesOf(world);
      assert.deepEqual([folders.length, folders.includes("lotse-ask-other")], [2, true]);
      const folder = folders.find((name) => name !== "lotse-ask-other");
      // Another operator of the same process.
      const beside = operator();
      beside.on.create(Example, () => {});
      const other = await world.start(beside, { questions: true });
      assert.equal((await filesOf(world)).length, 3);
      await other.stop();
      const endpoint = JSON.parse(await host.files.readText(`/tmp/${folder}/endpoint.json`)) as {
        server: string;
        token: string;
      };
      using connection = host.network.connect({ server: endpoint.server });
      const ask = async (path: string, token: string, body: string): Promise<[number, string]> => {
        const response = await connection.request({
          method: "POST",
          path,
          headers: { authorization: `Bearer ${token}` },
          body,
        });
        const { message = "" } = JSON.parse(await response.text()) as { message?: string };
        return [response.status, message];
      };
      assert.deepEqual(await ask("/why", "guess", "{}"), [
        401,
        "The token is missing, or is another operator's",
      ]);
      const { token } = endpoint;
      assert.deepEqual(await ask("/why", token, "{}"), [
        400,
        "The question names no object: kind and name are needed",
      ]);
      assert.equal((await ask("/why", token, "{"))[0], 400);
      assert.equal((await ask("/why", token, "x".repeat(20_000)))[0], 413);
      const [status, message] = await ask("/later", token, "");
      assert.deepEqual([status, message.includes("another version")], [404, true]);
      const first = await run(world, "top", "--once");
      assert.match(
        first.output,
        /\nmake +examples\.lotse\.test +0 +0 +0 +0 .*\n[^]*\(counted since `top` asked first;/,
      );
      await new Objects(world).create("one");
      await running.advance(5);
      const second = await run(world, "top", "--once");
      assert.match(second.output, /^objects 1, [^]*\nmake +examples\.lotse\.test +0 +1 +0 +0 /);
      await running.stop();
    },
  );

  scenario.virtual(
    "[N22.2] another program, or another version, behind the port is told apart",
    async (world) => {
      const { host } = world;
      const endpoint = {
        format: "lotse.dev/ask/v1",
        server: "http://127.0.0.1:9",
        token: "t",
        pid: host.process.pid,
      };
      await host.files.writeText("/tmp/lotse-ask-other/endpoint.json", JSON.stringify(endpoint));
      const answered = async (response: () => Response): Promise<string> => {
        host.network.route("http://127.0.0.1:9", response);
        return (await run(world, "why", "examples", "one")).output;
      };
      assert.match(
        await answered(() => new Response("<html>")),
        /^error: Another program answers in the operator's place/,
      );
      const message = 'This operator knows no question "/why": it may be of another version';
      assert.match(await answered(() => Response.json({ message }, { status: 404 })), /of another version/);
      host.network.route("http://127.0.0.1:9", undefined);
      assert.match(
        (await run(world, "why", "examples", "one")).output,
        /^error: Cannot connect to http:\/\/127\.0\.0\.1:9/,
      );
      await host.files.writeText("/tmp/lotse-ask-other/endpoint.json", "not written yet");
      assert.match((await run(world, "why", "examples", "one")).output, /1 belong to other users/);
    },
  );

  scenario.virtual(
    "[N22.5] the log level is another one for some time, and then as before",
    async (world) => {
      const { host } = world;
      const options = { level: "info", clock: host.clock } as const;
      const levels = new LevelSwitch({ level: "debug", write: () => {} }, options);
      const op = operator();
      op.on.create(Example, () => {});
      const running = await world.start(op, { questions: true, logLevels: levels });
      using _signal = listenForLevel(host, { logger: silentLogger(), levels });
      assert.equal((await run(world, "log-level")).output, "The level is info\n");
      assert.equal(
        (await run(world, "log-level", "debug", "--for", "90s")).output,
        "The level is debug for 90s\n",
      );
      assert.equal(levels.level, "debug");
      await running.advance(91);
      assert.equal(levels.level, "info");
      const refused: Readonly<Record<string, RegExp>> = {
        "log-level loud": /"loud" is no level: take one of debug, info, warn, error/,
        "log-level debug --for 9d": /for a day at most/,
        "log-level debug --for later": /"later" is no duration/,
        "heap-snapshot": /Heap snapshots are not allowed.*process\.heapSnapshots/,
      };
      for (const [line, message] of Object.entries(refused)) {
        assert.match((await run(world, ...line.split(" "))).output, message);
      }
      op.settings.process.heapSnapshots = true;
      assert.match((await run(world, "heap-snapshot")).output, /This runtime cannot write heap snapshots/);
      const written: string[] = [];
      Object.assign(host.process, { writeHeapSnapshot: (path: string) => void written.push(path) });
      assert.equal((await run(world, "heap-snapshot")).code, 0);
      assert.equal(written.length, 1);
      assert.ok(host.process.stdout.endsWith(`${written[0]}\n`));
      assert.match(written[0] ?? "", /\/lotse-heap-.*\/operator\.heapsnapshot$/);
      host.process.signal("SIGUSR2");
      assert.equal(levels.level, "debug");
      host.process.signal("SIGUSR2");
      assert.equal(levels.level, "info");
      await running.stop();
      const quiet = await world.start(op, { questions: true });
      assert.match(
        (await run(world, "log-level", "debug")).output,
        /cannot be changed: it has a logger of its author's own/,
      );
      await quiet.stop();
    },
  );

  scenario.virtual(
    "[N22.2] a program that is no operator, or one of another version, is named as that",
    async (world) => {
      const left = (name: string, fields: object): Promise<void> =>
        world.host.files.writeText(
          `/tmp/lotse-ask-${name}/endpoint.json`,
          JSON.stringify({ pid: world.host.process.pid, token: "t", ...fields }),
        );
      world.host.network.route("https://other.test", () => Response.json({ status: "ok" }));
      await left("other", { format: "lotse.dev/ask/v1", server: "https://other.test" });
      for (const question of [["why", "examples", "one"], ["queue"], ["top", "--once"]]) {
        const { code, output } = await run(world, ...question);
        assert.deepEqual([question[0], code], [question[0], 1], output);
        assert.match(output, /^error: Another program answers in the operator's place/);
      }
      await left("other", { format: "lotse.dev/ask/v9", server: "https://other.test" });
      const { output } = await run(world, "queue");
      assert.match(output, /^error: No operator on this machine answers questions \(1 .*another version/);
    },
  );

  scenario.virtual("[N22.2] strange arguments are refused", async (world) => {
    for (const object of ["a/b/c", "/a", "a/"]) {
      const { code, output } = await run(world, "why", "examples", object);
      assert.equal(code, 2);
      assert.match(output, /is no object: give NAME or NAMESPACE\/NAME/);
    }
    const { output } = await run(world, "why", "examples", "a/b", "-n", "c");
    assert.match(output, /name two namespaces/);
  });
});

/** How many objects fail, and how long that may take: thousands are for the nightly run. */
const [CROWD, PATIENCE] = sized({ short: [100, 60_000], full: [10_000, 900_000] });

describe("An operator with many objects that fail", () => {
  it(
    "[N59.5] has as many metrics as with one, and its answers fit on a screen",
    { timeout: PATIENCE },
    async () => {
      const world = await virtualWorld();
      const op = operator();
      op.on.create(Example, function provision({ name }) {
        throw new TemporaryError(`No room for ${name}`, { delay: 600 });
      });
      const running = await world.start(op, { questions: true, liveness: LIVENESS });
      const objects = new Objects(world);
      await objects.create("first");
      await running.advance(10);
      const seriesOf = (text: string): string[] =>
        text.split("\n").filter((line) => line !== "").map((line) => line.replace(/ \S+$/, "")).sort();
      const ofOne = seriesOf(await scrapeText(world.host));

      for (let number = 1; number < CROWD; number++) await objects.create(`another-${number}`);
      await running.advance(30);
      const text = await scrapeText(world.host);
      assert.match(
        text,
        new RegExp(
          `^lotse_objects_failing\\{kind="examples.lotse.test",handler="provision"\\} ${CROWD}$`,
          "m",
        ),
      );
      assert.deepEqual(seriesOf(text), ofOne);
      assert.doesNotMatch(text, /another-/);
      for (const question of [["queue"], ["top", "--once"], ["why", "examples", "another-7"]]) {
        const { code, output } = await run(world, ...question);
        assert.equal(code, 0, output);
        const lines = output.split("\n").length;
        assert.ok(lines <= 50, `${question[0]}: ${lines} lines`);
      }
      await running.stop();
    },
  );
});
