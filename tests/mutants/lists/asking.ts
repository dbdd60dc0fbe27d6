/** Breaks in how operators are asked and steered, and in commands in containers. */

import { breaksOf, type Mutant } from "../mutant.ts";

const WISHES = ["tests/scenarios/wishes_test.ts"];
const WHY = ["tests/scenarios/why_test.ts"];
const STEER = ["tests/cli/steer_test.ts"];
const ASK = ["tests/cli/why_test.ts"];
const EXEC = ["tests/scenarios/exec_test.ts"];
const UNINSTALL = ["tests/kits/uninstall/uninstall_test.ts"];
const COSTS = ["tests/scenarios/metrics_test.ts"];
const METRICS = ["tests/scenarios/metrics_access_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf("lib/engines/wishes.ts", [
    ["Wishes.takeReconcile", "|| this.#heeded.get(subject) === text", ""],
    ["Wishes.takeReconcile", 'events.every(({ event: { type } }) => type === "MODIFIED")', "true"],
    ["Wishes.isVerbose", '=== "debug"', "!== undefined"],
  ], WISHES),
  ...breaksOf("lib/handlers/change/change_run.ts", [
    ["if (turn.isHurried) progress.hurry();", ""],
  ], WISHES),
  ...breaksOf("lib/handlers/reconcile/reconcile_part.ts", [
    ['if (this.#turn.isHurried) record.wake({ kind: "trigger", reason: "reconcile-now" }, now);', ""],
  ], WISHES),
  ...breaksOf("lib/operator/why.ts", [
    ["if (holder !== identity) {", "if (holder === identity) {"],
    ["this.#holder = holder;", ""],
    ['const refused = findLast(entries, handler)?.outcome === "refused";', "const refused = false;"],
    ['const again = noun === "Daemon"', 'const again = noun === "Timer"'],
  ], [...WHY, ...STEER]),
  ...breaksOf("lib/operator/pod_ask.ts", [
    ['const running = pods.filter(({ status }) => status?.phase === "Running");', "const running = pods;"],
    ["if (code === 0) return stdout;", "return stdout;"],
  ], STEER),
  ...breaksOf("lib/cli/top.ts", [
    ["onResize: () => this.#wake?.()", "onResize: () => {}"],
    ["if (this.#terminal === undefined) return;", "return;"],
    ["line.length <= columns ? line", "true ? line"],
  ], ASK),
  ...breaksOf("lib/kits/uninstall/peering_records.ts", [
    ["filter(({ identity }) => pod.test(identity))", "filter(() => true)"],
  ], UNINSTALL),
  ...breaksOf("lib/kits/uninstall/uninstall.ts", [
    ["        await clock.sleep(rest + 1);\n", ""],
    [".filter((each) => each.rest > 0);", ".filter(() => false);"],
  ]),
  ...breaksOf("lib/engines/metrics/costs.ts", [
    ["if (this.#running?.attempt === attempt) this.#end();", ""],
    ["if (call === undefined) return;", "return;"],
    ['typeof body === "string" ? byteLengthOf(body)', 'typeof body === "string" ? 0'],
  ], COSTS),
  ...breaksOf("lib/execution/invoke.ts", [
    ["const STEPS = 8;", "const STEPS = 0;"],
    ["    tellOfReturn(answer);\n", ""],
  ], COSTS),
  ...breaksOf("lib/operator/offline_why.ts", [
    [
      "const own = finalizers.filter((each) => kept.some(({ finalizer }) => finalizer === each));",
      "const own: string[] = [];",
    ],
    ["paths.length === 0", "paths.length > 0"],
  ], STEER),
  ...breaksOf("lib/operator/process_wishes.ts", [
    ["if (!settings.process.heapSnapshots) {", "if (settings.process.heapSnapshots) {"],
    ["seconds > LONGEST", "seconds > Infinity"],
  ], ASK),
  ...breaksOf("lib/runtime/level_switch.ts", [
    ["LevelSwitch.set", "    this.reset();\n", ""],
  ]),
  ...breaksOf("lib/client/transport/web_socket.ts", [
    ["if (!isLast) continue;", ""],
    ["if (code === CODES.ping) pong(payload);", ""],
    ["(second & 0x80) !== 0", "false"],
  ]),
  ...breaksOf("lib/client/exec.ts", [
    ['if (container !== undefined) query.set("container", container);', ""],
    ["  socket.send(new Uint8Array([CHANNELS.close, CHANNELS.stdin]));\n", ""],
    ["if (socket.protocol !== PROTOCOLS[0]) {", "if (false) {"],
    ['if (status.reason === "NonZeroExitCode" && Number.isInteger(code)) return code;', "return code;"],
  ], EXEC),
  ...breaksOf("lib/engines/metrics/metrics_gate.ts", [
    ["if (known?.authenticated !== true) return this.#verdict(401);", ""],
    ["return this.#verdict(status?.allowed === true ? 200 : 403);", "return this.#verdict(200);"],
    ["known.until > this.#options.clock.monotonic()", "true"],
    ["if (known !== undefined && known.until", "if (false && known !== undefined && known.until"],
  ], METRICS),
];

export default mutants;
