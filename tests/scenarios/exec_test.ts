import assert from "node:assert/strict";
import { type Api, type Operator, operator } from "../../mod.ts";
import { type PlayedCommand, type PlayedEnd, playKubelet } from "../support/played_kubelet.ts";
import { suite } from "../support/scenario.ts";
import type { VirtualWorld } from "../support/virtual_world.ts";
import { Example } from "../support/worlds.ts";

const REASONS: Readonly<Record<number, string>> = { 403: "Forbidden", 500: "InternalError" };
const POD = { namespace: "default", name: "web-0" };

/** Runs an operator at a kubelet that is played, and what it does with its API. */
async function withKubelet(
  world: VirtualWorld,
  run: (command: PlayedCommand) => PlayedEnd,
  act: (api: Api, op: Operator) => Promise<void>,
  protocol?: string,
): Promise<void> {
  const op = operator();
  op.on.create(Example, () => {});
  const running = await world.start(op);
  world.intercept = (request, { path }) =>
    path.includes("/exec") ? playKubelet(request, run, protocol) : undefined;
  let error: unknown;
  let isDone = false;
  void act(op.api, op).catch((thrown) => error = thrown).finally(() => isDone = true);
  await world.until(() => isDone, 100);
  world.intercept = undefined;
  await running.stop();
  if (error !== undefined) throw error;
}

suite("commands in containers", (scenario) => {
  scenario.virtual("[N58.1] give their output and exit code, in their container", async (world) => {
    const asked: PlayedCommand[] = [];
    const run = (command: PlayedCommand): PlayedEnd => {
      asked.push(command);
      return command.words[0] === "false"
        ? { code: 3, stderr: ["no ", "good"] }
        : { stdout: ["caf\u00e9 ", "au lait ".repeat(30)], stderr: ["!"] };
    };
    await withKubelet(world, run, async (api) => {
      const fine = await api.exec(POD, ["echo", "a b", "&c=d"], { container: "main" });
      assert.deepEqual(fine, { code: 0, stdout: `caf\u00e9 ${"au lait ".repeat(30)}`, stderr: "!" });
      assert.deepEqual(await api.exec(POD, ["false"]), { code: 3, stdout: "", stderr: "no good" });
      const pieces: string[] = [];
      const told = await api.exec(POD, ["echo"], {
        onOutput: (bytes, stream) => pieces.push(`${stream} ${bytes.length}`),
      });
      assert.deepEqual([told, pieces], [
        { code: 0, stdout: "", stderr: "" },
        ["stdout 6", "stdout 240", "stderr 1"],
      ]);
    });
    assert.deepEqual(asked[0], { words: ["echo", "a b", "&c=d"], container: "main", stdin: undefined });
    const { path } = world.requests.find((each) => each.path.includes("/exec"))!;
    assert.match(path, /^\/api\/v1\/namespaces\/default\/pods\/web-0\/exec\?command=echo&command=a\+b&/);
  });

  scenario.virtual("[N58.2] read their input to its end, where the server can end it", async (world) => {
    const run = ({ stdin = "" }: PlayedCommand): PlayedEnd => ({ stdout: [String(stdin.length)] });
    await withKubelet(world, run, async (api) => {
      const { stdout } = await api.exec(POD, ["wc", "-c"], { stdin: "x".repeat(100_000) });
      assert.equal(stdout, "100000");
    });
    await withKubelet(
      world,
      run,
      async (api) => {
        await assert.rejects(api.exec(POD, ["wc"], { stdin: "x" }), /older than Kubernetes 1\.30/);
        assert.equal((await api.exec(POD, ["wc"])).stdout, "0");
      },
      "v4.channel.k8s.io",
    );
  });

  scenario.virtual("[N58.3] that cannot run, or whose connection breaks, are errors", async (world) => {
    const run = ({ words: [word] }: PlayedCommand): PlayedEnd =>
      word === "none"
        ? { failure: 'exec: "none": executable file not found in $PATH' }
        : { stdout: ["half"], breaks: true };
    await withKubelet(world, run, async (api) => {
      await assert.rejects(api.exec(POD, ["none"]), /Cannot run the command in "web-0": exec: "none"/);
      await assert.rejects(api.exec(POD, ["half"]), /the connection was closed before/);
      await assert.rejects(api.exec(POD, []), /it has no words/);
      await assert.rejects(
        api.exec(POD, ["x"], { signal: AbortSignal.abort(new Error("enough")) }),
        /enough/,
      );
    });
    await withKubelet(
      world,
      run,
      (api) => assert.rejects(api.exec(POD, ["x"]), /The server speaks "v1\.other", and not v5\.channel/),
      "v1.other",
    );
  });

  scenario.virtual("[N58.4] are refused by servers in words, and tried once", async (world) => {
    const op = operator();
    op.on.create(Example, () => {});
    const running = await world.start(op);
    const refuse = (status: number, message: string): void => {
      world.intercept = (_, { path }) =>
        path.includes("/exec")
          ? Response.json({
            kind: "Status",
            status: "Failure",
            code: status,
            message,
            reason: REASONS[status],
          }, { status })
          : undefined;
    };
    const tried = async (): Promise<string> => {
      let end = "";
      void op.api.exec(POD, ["x"]).then(() => end = "fine", (error: Error) => end = error.message);
      await world.until(() => end !== "", 100);
      return end;
    };
    refuse(403, `pods "web-0" is forbidden: User "o" cannot get resource "pods/exec" in API group ""`);
    assert.match(await tried(), /403 Forbidden: .*; a role must allow "get" on "pods\/exec"$/);
    refuse(500, "the kubelet does not answer");
    world.requests.length = 0;
    assert.match(await tried(), /500 InternalError: the kubelet does not answer/);
    assert.equal(world.requests.filter(({ path }) => path.includes("/exec")).length, 1);
    world.intercept = (_, { path }) => path.includes("/exec") ? new Response("ok") : undefined;
    assert.match(await tried(), /The server does not change the protocol for "GET .*exec": it answers 200/);
    world.intercept = undefined;
    await running.stop();
  });
});
