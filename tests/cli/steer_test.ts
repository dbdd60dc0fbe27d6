import assert from "node:assert/strict";
import { main } from "../../lib/cli/main.ts";
// A virtual clock does not wait for files that are loaded late.
import "../../lib/cli/freeze.ts";
import "../../lib/cli/steer.ts";
import "../../lib/cli/top.ts";
import "../../lib/cli/why.ts";
import "../../lib/operator/offline_why.ts";
import "../../lib/operator/pod_ask.ts";
import "../../lib/operator/responsible_operator.ts";
import { formatTraces, tracesOf } from "../../lib/registry/traces.ts";
import type { Host } from "../../lib/runtime/host.ts";
import { operator, TemporaryError } from "../../mod.ts";
import { type PlayedEnd, playKubelet } from "../support/played_kubelet.ts";
import { suite } from "../support/scenario.ts";
import type { VirtualWorld } from "../support/virtual_world.ts";
import { Example, Objects } from "../support/worlds.ts";

const CONFIG = `
apiVersion: v1
kind: Config
current-context: here
clusters: [{ name: here, cluster: { server: "https://outside.test" } }]
contexts: [{ name: here, context: { cluster: here, user: me } }]
users: [{ name: me, user: {} }]
`;
const PODS = { group: "", version: "v1", plural: "pods", namespaced: true } as const;

interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Runs a command on a machine with a kubeconfig, and returns its code and what it has printed. */
async function run({ host }: VirtualWorld, ...args: string[]): Promise<Ended> {
  await host.files.writeText("/kubeconfig", CONFIG);
  host.process.setEnv("KUBECONFIG", "/kubeconfig");
  const before = host.process.stdout.length + host.process.stderr.length;
  let code: number | undefined;
  void main(host, args).then((ended) => code = ended);
  await host.clock.until(() => code !== undefined, { within: 60 });
  return { code: code ?? -1, output: (host.process.stdout + host.process.stderr).slice(before) };
}

/** Runs a command in a Pod: a process of its own, whose output goes to whoever has asked. */
async function runInside(
  host: Host,
  args: readonly string[],
): Promise<{ code: number; stdout: string[]; stderr: string[] }> {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const process = new Proxy(host.process, {
    get: (target, key) => {
      if (key === "write") {
        return (stream: string, text: string) => void (stream === "stdout" ? stdout : stderr).push(text);
      }
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { code: await main({ ...host, process }, args), stdout, stderr };
}

/** The requests of commands and of the test come by another way than those of operators: kubelets answer there. */
function playPods({ host, server }: VirtualWorld, asked: string[]): void {
  host.network.route("https://outside.test", (request) => {
    if (!request.url.includes("/exec")) return server.fetch(request);
    const pod = /pods\/([^/]+)\/exec/.exec(request.url)?.[1] ?? "";
    return playKubelet(request, async ({ words: [program = "", ...args] }) => {
      asked.push(`${pod} ${program} ${args[0]}`);
      if (program !== "/operator") {
        return { failure: `exec: "${program}": executable file not found in $PATH` };
      }
      return await runInside(host, args);
    });
  });
}

/** As above; what a Pod answers is made up. */
function playAnswers({ host, server }: VirtualWorld, play: (pod: string) => PlayedEnd): void {
  host.network.route("https://outside.test", (request) => {
    const pod = /pods\/([^/]+)\/exec/.exec(request.url)?.[1];
    return pod === undefined ? server.fetch(request) : playKubelet(request, () => play(pod));
  });
}

/** What `why` has printed in a Pod that knows the object. */
function answerOf(pod: string): object {
  return { format: "lotse.dev/why/v1", object: "x", answer: pod, facts: [], handlers: [], looks: [] };
}

async function makePod(world: VirtualWorld, name: string, { phase = "Running" } = {}): Promise<void> {
  const metadata = { name, namespace: "default", labels: { "app.kubernetes.io/name": "bakery" } };
  const spec = { containers: [{ name: "operator", image: "none" }] };
  await world.client.create(PODS, { apiVersion: "v1", kind: "Pod", metadata, spec });
  const body = { status: { phase, conditions: [{ type: "Ready", status: "True" }] } };
  await world.client.patch(PODS, { name, namespace: "default", subresource: "status" }, {
    type: "merge",
    body,
  });
}

suite("steering and asking from a laptop", (scenario) => {
  scenario.virtual(
    "[N29.9] pause, resume and retry write the annotations of the operator's own prefix",
    async (world) => {
      const objects = new Objects(world);
      const calls: number[] = [];
      const op = operator();
      op.on.create(Example, { id: "make" }, ({ retry }) => {
        calls.push(retry);
        throw new TemporaryError("Not yet", { delay: 3600 });
      });
      const running = await world.start(op);
      playPods(world, []);
      await objects.create("one");
      await running.advance(5);
      const paused = await run(
        world,
        "pause",
        "examples",
        "default/one",
        "--for",
        "4h",
        "--reason",
        "it is moved",
      );
      assert.deepEqual([
        paused.code,
        paused.output.startsWith("examples.lotse.test default/one is paused until "),
      ], [
        0,
        true,
      ]);
      assert.match(paused.output, /\(lotse\.dev\/pause\)\n$/);
      await running.advance(5);
      const told = op.why({ kind: "examples", namespace: "default", name: "one" }).answer;
      assert.match(told, /^It is paused by its annotation .* \(it is moved\)/);
      assert.equal((await run(world, "resume", "Example", "one")).code, 0);
      calls.length = 0;
      assert.equal((await run(world, "retry", "examples.lotse.test", "one")).code, 0);
      await running.advance(5);
      assert.deepEqual(calls, [1]);
      const mistakes: Readonly<Record<string, RegExp>> = {
        "pause examples one": /Say for how long: --for 4h/,
        "pause examples one --for soon": /"soon" is no duration/,
        "pause examples one --until 2020-01-01T00:00:00Z": /is over already/,
        "pause examples one --until tomorrow": /"tomorrow" is no time/,
        "resume": /an object \(KIND NAME\), or operators \(--peering NAME\)/,
        "resume examples one --peering x": /an object \(KIND NAME\), or operators/,
      };
      for (const [line, message] of Object.entries(mistakes)) {
        const { code, output } = await run(world, ...line.split(" "));
        assert.deepEqual([code, message.test(output)], [2, true], output);
      }
      const gone = await run(world, "pause", "examples", "nobody", "--for", "1h");
      assert.deepEqual([gone.code, gone.output.includes("404")], [1, true], gone.output);
      const strange = await run(world, "retry", "volumes", "one");
      assert.match(strange.output, /The server serves no kind "volumes"/);
      await running.stop();
    },
  );

  scenario.virtual(
    "[N22.3] why, queue and top ask an operator in its Pod, by its executable's own command",
    async (world) => {
      const op = operator();
      op.on.create(Example, { id: "make", labels: { team: "blue" } }, () => {});
      const running = await world.start(op, { questions: true });
      const asked: string[] = [];
      playPods(world, asked);
      await makePod(world, "bakery-old", { phase: "Failed" });
      await makePod(world, "bakery-0");
      await new Objects(world).create("one");
      await running.advance(5);
      const why = await run(world, "why", "examples", "one", "--operator", "default/bakery");
      assert.match(
        why.output,
        /^examples\.lotse\.test default\/one\n {2}No handler is called for it now\. make: label `team` is absent/,
      );
      const queue = await run(world, "queue", "--operator", "bakery", "--json");
      assert.deepEqual(JSON.parse(queue.output).running, 0);
      const top = await run(world, "top", "--once", "--operator", "bakery-0");
      assert.match(top.output, /^objects 1, queue 0/);
      assert.deepEqual(asked, [
        "bakery-0 /operator why",
        "bakery-0 /operator queue",
        "bakery-0 /operator top",
      ]);
      const other = await run(
        world,
        "why",
        "examples",
        "one",
        "--operator",
        "bakery",
        "--executable",
        "/bin/lotse",
      );
      assert.match(other.output, /There is no "\/bin\/lotse" in the Pod "bakery-0" \(say by --executable/);
      const none = await run(world, "queue", "--operator", "brewery");
      assert.match(
        none.output,
        /No Pods of "brewery" are in the namespace "default".*app\.kubernetes\.io\/name=brewery/,
      );
      const dead = await run(world, "queue", "--operator", "bakery-old");
      assert.match(dead.output, /None of the Pods of "bakery-old" runs: bakery-old is Failed/);
      await running.stop();
      const silent = await run(world, "why", "examples", "one", "--operator", "bakery");
      assert.deepEqual([
        silent.code,
        silent.output.includes('The operator in the Pod "bakery-0" cannot answer'),
      ], [1, true]);
    },
  );

  scenario.virtual(
    "[N22.7] why finds the operator of the kind in the cluster, by what its Deployment says",
    async (world) => {
      const op = operator();
      op.on.create(Example, { id: "make", labels: { team: "blue" } }, () => {});
      const running = await world.start(op);
      const asked: string[] = [];
      playAnswers(world, (pod) => {
        asked.push(pod);
        return { stdout: [JSON.stringify(answerOf(pod))] };
      });
      await makePod(world, "bakery-0");
      await new Objects(world).create("one");
      const deploy = async (
        name: string,
        namespace: string,
        args: string[],
        traces?: string,
      ): Promise<void> => {
        const labels = { app: name };
        const annotations = traces === undefined ? {} : { "lotse.dev/traces": traces };
        const containers = [{ name: "operator", image: "none", args }];
        await world.client.create({ group: "apps", version: "v1", plural: "deployments", namespaced: true }, {
          apiVersion: "apps/v1",
          kind: "Deployment",
          metadata: { name, namespace, annotations },
          spec: {
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers } },
          },
        });
      };
      const why = (): Promise<{ output: string; code: number }> => run(world, "why", "examples", "one");
      const traces = formatTraces(tracesOf({ operators: [op] }));
      const other = formatTraces({
        ...tracesOf({ operators: [op] }),
        kinds: [{ plural: "pods", group: "" }],
      });
      await deploy("web", "default", []);
      await deploy("broken", "default", [], "{");
      await deploy("dairy", "default", [], other);
      await deploy("bakery-east", "default", ["--namespace=east"], traces);
      const none = await why();
      assert.match(
        none.output,
        /^error: No operator on this machine answers, and no Deployment .* handles examples\.lotse\.test: name/,
      );
      await deploy("bakery", "default", ["--namespace=default", "--namespace=west-*"], traces);
      const found = await why();
      assert.match(found.output, /The operator default\/bakery is asked\n/);
      assert.equal(found.code, 0);
      assert.match(world.host.process.stdout, /x\n {2}bakery-0\n$/);
      assert.deepEqual(asked, ["bakery-0"]);
      await deploy("cakes", "default", ["--all-namespaces"], traces);
      assert.match(
        (await why()).output,
        /^error: 2 operators in the cluster may handle examples\.lotse\.test: default\/bakery, default\/cakes: name one/,
      );
      // In a Pod it looks no further: it may have been started by such a question.
      world.host.process.setEnv("KUBERNETES_SERVICE_HOST", "10.0.0.1");
      assert.match((await why()).output, /^error: No operator on this machine answers questions/);
      await running.stop();
    },
  );

  scenario.virtual("[N22.3] of several replicas the responsible one answers", async (world) => {
    const asked: string[] = [];
    for (const name of ["bakery-0", "bakery-1", "bakery-2"]) await makePod(world, name);
    playAnswers(world, (pod) => {
      asked.push(pod);
      if (pod === "bakery-0") return { code: 1, stderr: ["error: No operator on this machine answers"] };
      const holder = pod === "bakery-2" ? {} : { holder: "bakery-2_k3" };
      return { stdout: [JSON.stringify({ ...answerOf(pod), ...holder })] };
    });
    const { output } = await run(world, "why", "examples", "one", "--operator", "bakery");
    assert.deepEqual([output, asked], ["x\n  bakery-2\n", ["bakery-0", "bakery-1", "bakery-2"]]);
  });

  scenario.virtual("[N22.4] why --offline says what the notes on the object tell", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.create(Example, { id: "make" }, ({ name }) => {
      if (name === "stuck") throw new TemporaryError("The volume is not bound", { delay: 600 });
    });
    op.on.delete(Example, { id: "clean" }, () => {});
    const running = await world.start(op);
    playPods(world, []);
    for (const name of ["fine", "stuck", "leaving"]) await objects.create(name, { spec: { size: 1 } });
    await running.advance(5);
    await running.stop();
    await objects.create("new");
    await objects.patch("fine", { spec: { size: 3 } });
    await objects.delete("leaving");
    const answers: Readonly<Record<string, RegExp>> = {
      stuck:
        /^examples\.lotse\.test default\/stuck\n {2}Handler "make" is not done since \S+, after one attempt: The volume is not bound; the next attempt is due at \S+\.\n {2}It was not handled yet/,
      fine:
        /\n {2}It has changed since it was handled: spec\.size\.\n {2}Told by the notes on the object alone/,
      new: /\n {2}No operator has left notes or a finalizer on it/,
      leaving:
        /\n {2}It is being deleted since \S+: lotse\.dev\/finalizer stays until .* `lotse uninstall` takes it off\.\n/,
    };
    for (const [name, answer] of Object.entries(answers)) {
      const { code, output } = await run(world, "why", "examples", name, "--offline");
      assert.equal(code, 0, output);
      assert.match(output, answer);
    }
    const json = JSON.parse((await run(world, "why", "examples", "stuck", "--offline", "--json")).output);
    assert.equal(json.format, "lotse.dev/why/v1");
  });
});
