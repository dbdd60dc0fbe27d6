/** What an author waits for: `dev` in a project made by `lotse new`, the check of types, and the way from nothing with npm alone. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import process from "node:process";
import { Program, ROOT } from "../../tests/cli/processes.ts";
import { findRuntime, type RuntimeName } from "../../tests/runner/tools.ts";
import { medianOf, sinceStart } from "./figures.ts";

const HANDLED = /\[default\/hello\] Handler succeeded handler=create\n/;
const DEV = ["dev", "handlers.ts", "--apply", "deploy/crd.yaml", "deploy/example.yaml"];
/** How many kinds the checked project has. */
const KINDS = 50;

const deno = findRuntime("deno").path;
const node = findRuntime("node").path;
const bun = findRuntime("bun").path;
/** The programs of Node 24 and Bun come first, whatever the system has. */
const PATH = [...[node, bun].filter(isAbsolute).map(dirname), process.env["PATH"]].join(":");

function run(
  command: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): string {
  const result = spawnSync(command, [...args], {
    cwd,
    env: { ...process.env, PATH, CI: "true", ...env },
    encoding: "utf8",
  });
  if (result.status !== 0) throw new Error(`${command} ${args.join(" ")}: ${result.stdout}${result.stderr}`);
  return result.stdout;
}

/** A temporary folder with the package of this checkout. */
class Workshop implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "lotse-start-"));
  readonly packed: string;

  constructor() {
    const args = ["run", "-A", "tools/package.ts", "--out", this.folder];
    this.packed = run(deno, args, { cwd: ROOT }).trim().split("\n").at(-1) ?? "";
  }

  /** Makes the project "tea", and installs what it needs. Returns its folder. */
  project(runtime: RuntimeName, lotse = this.packed): string {
    const parent = mkdtempSync(join(this.folder, `${runtime}-`));
    run(deno, ["run", "-A", join(ROOT, "cli.ts"), "new", "tea", "--runtime", runtime, "--lotse", lotse], {
      cwd: parent,
    });
    const folder = join(parent, "tea");
    if (runtime !== "deno") run("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder });
    return folder;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}

/** Yields how long a warm `dev` takes to the first object that is handled. */
export async function* measureDev(runs: number): AsyncGenerator<string> {
  using workshop = new Workshop();
  const lotse = join("node_modules/.bin/lotse");
  const cwd = workshop.project("node");
  const linked = workshop.project("deno", ROOT);
  const ways: readonly [string, string, readonly string[], string][] = [
    ["Node", node, [lotse, ...DEV], cwd],
    ["Bun", bun, ["--bun", lotse, ...DEV], cwd],
    ["Deno", deno, ["run", "-A", "@lotse/lotse/cli", ...DEV], linked],
  ];
  for (const [name, command, args, folder] of ways) {
    const start = () => new Program(command, args, { cwd: folder, env: { PATH } });
    await sinceStart(start(), HANDLED); // fills the caches
    const times: number[] = [];
    for (let run = 0; run < runs; run++) times.push(await sinceStart(start(), HANDLED));
    yield `${name} ${medianOf(times)} ms to the first object handled, slowest ${
      Math.round(Math.max(...times))
    }`;
  }
}

/** Yields how long the check of a project with many kinds takes: each has a spec, a status, and handlers that use them. */
export async function* measureTypes(runs: number): AsyncGenerator<string> {
  using workshop = new Workshop();
  const cwd = workshop.project("node");
  for (let kind = 0; kind < KINDS; kind++) writeFileSync(join(cwd, `kind_${kind}.ts`), kindSource(kind));
  const times: number[] = [];
  for (let run_ = 0; run_ < Math.min(runs, 5); run_++) {
    const start = performance.now();
    run("npx", ["tsc"], { cwd });
    times.push(performance.now() - start);
  }
  await Promise.resolve();
  yield `tsc checks ${KINDS} kinds with ${KINDS * 4} handlers in ${medianOf(times)} ms`;
}

function kindSource(number: number): string {
  return `import { kinds, operator, resource } from "@lotse/lotse";
interface Spec { size: number; engine: "a" | "b"; parts?: { name: string; weight?: number }[] }
interface Status { state?: string; ready?: number }
export const Kind${number} = resource<Spec, Status>({ group: "example.com", version: "v1", plural: "kind${number}s", kind: "Kind${number}" });
const op = operator();
op.on.create(Kind${number}, async ({ name, spec, body, patch }) => {
  patch.status.state = spec.engine;
  await op.api.apply(kinds.ConfigMap, { metadata: { name }, data: { size: String(spec.size) } }, { owner: body });
});
op.on.update(Kind${number}, ({ spec, status, patch }) => void (patch.status.ready = (status.ready ?? 0) + (spec.parts?.length ?? 0)));
op.on.field(Kind${number}, "spec.size", ({ old, new: wanted, logger }) => logger.info("Size", { old, wanted }));
op.timer(Kind${number}, { interval: 60, when: ({ spec }) => spec.size > 1 }, ({ spec, logger }) => logger.info("Tick", { size: spec.size }));
export default op;
`;
}

/** Yields how long npm alone takes from an empty folder and an empty cache to an object that is handled. */
export async function* measureInstall(runs: number): AsyncGenerator<string> {
  using workshop = new Workshop();
  const times: number[] = [];
  for (let count = 0; count < Math.min(runs, 3); count++) {
    const cwd = mkdtempSync(join(workshop.folder, "empty-"));
    const env = { npm_config_cache: join(cwd, "cache"), PATH };
    const begun = performance.now();
    run("npx", [
      "-y",
      "--package",
      workshop.packed,
      "lotse",
      "new",
      "tea",
      "--lotse",
      workshop.packed,
      "--install",
    ], {
      cwd,
      env,
    });
    // NB: not `npm run dev`: told to stop, npm leaves its shell's child behind.
    const dev = new Program(node, ["node_modules/.bin/lotse", ...DEV], { cwd: join(cwd, "tea"), env });
    await sinceStart(dev, HANDLED);
    times.push(performance.now() - begun);
  }
  yield `npm alone, empty cache: ${
    medianOf(times)
  } ms in two commands, \`npx lotse new tea --install\` and \`npm run dev\``;
}
