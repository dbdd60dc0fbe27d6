/**
 * The files of a project that `new` writes, as texts.
 *
 * They are a start that works, not a showcase: one kind, one child object, one test, and the manifests for a cluster.
 */

import { dockerfile, type Runtime } from "./dockerfile.ts";

/** Whether the project begins with handlers of changes, or with a reconcile function. */
export type Manner = "handlers" | "reconcile";

export interface ProjectOptions {
  /** The operator's, a DNS label. */
  readonly name: string;
  /** Such as "Greeting". */
  readonly kind: string;
  /** Such as "greetings". */
  readonly plural: string;
  readonly group: string;
  readonly manner: Manner;
  readonly runtime: Runtime;
  /** Of Lotse. */
  readonly version: string;
  /** The package of Lotse in the project, such as "./lotse.tgz"; for Deno the folder that it is unpacked to. Default: from npm. */
  readonly lotse?: string;
}

/** Returns the files by their paths in the project. */
export function projectFiles(options: ProjectOptions): Map<string, string> {
  const files = new Map<string, string>([
    ["handlers.ts", handlers(options)],
    [testName(options), test(options)],
    ["deploy/example.yaml", example(options)],
    [".github/workflows/ci.yaml", ci(options)],
    [".github/dependabot.yml", dependabot()],
    ["Dockerfile", dockerfile({ ...options, files: ["handlers.ts"] })],
    [".dockerignore", "node_modules\n.git\noperator\n"],
    [".gitignore", `node_modules/\n/operator\n`],
    ["README.md", readme(options)],
  ]);
  for (const [name, text] of projectSettings(options)) files.set(name, text);
  return files;
}

/** Returns the commands that a new project begins with: they install its packages, and write its manifests. */
export function setUpCommands(runtime: Runtime): string[] {
  const { install, manifests } = COMMANDS[runtime];
  return [install, manifests].filter((command) => command !== "");
}

export interface NextStepsOptions {
  readonly folder: string;
  readonly runtime: Runtime;
  /** Whether the packages and the manifests are there. */
  readonly isInstalled: boolean;
}

/** Returns the commands to type next. */
export function nextSteps({ folder, runtime, isInstalled }: NextStepsOptions): string {
  const { test, dev } = COMMANDS[runtime];
  const steps = [`cd ${folder}`, ...isInstalled ? [] : setUpCommands(runtime), test, dev];
  return [`Made ${folder}. Next:`, ...steps.map((step) => `  ${step}`), ""].join("\n");
}

/** Commands that people type, and CI runs. */
const COMMANDS = {
  deno: {
    install: "",
    again: "",
    manifests: "deno task manifests",
    check: "deno check",
    test: "deno test -A",
    simulate: "deno task simulate",
    dev: "deno task dev",
    build: "deno task build",
  },
  bun: {
    install: "bun install",
    again: "bun install --frozen-lockfile",
    manifests: "bun run manifests",
    check: "bun run check",
    test: "bun test",
    simulate: "bun run simulate",
    dev: "bun run dev",
    build: "bun run build",
  },
  node: {
    install: "npm install",
    again: "npm ci",
    manifests: "npm run manifests",
    check: "npm run check",
    test: "npm test",
    simulate: "npm run simulate",
    dev: "npm run dev",
    build: "npm run build",
  },
} as const;

const DEV = "dev handlers.ts --apply deploy/crd.yaml deploy/example.yaml";

/** Half a minute of runs with faults. */
const SIMULATE = "simulate handlers.ts --crd deploy/crd.yaml --minutes 0.5";

/** Returns the command that writes the manifests, made of the code's declarations. */
function manifestsBy(lotse: string, { name }: ProjectOptions): string {
  const image = `registry.example.com/${name}:0.1.0`;
  return `${lotse} generate crd handlers.ts > deploy/crd.yaml && ` +
    `${lotse} generate manifests handlers.ts --name ${name} --image ${image} --replicas 2 > deploy/operator.yaml`;
}

function testName({ runtime }: ProjectOptions): string {
  return runtime === "deno" ? "handlers_test.ts" : "handlers.test.ts";
}

/** The package that describes the kind. */
const ZOD = "^4.6.7";

function projectSettings(options: ProjectOptions): [string, string][] {
  const { name, runtime, version, lotse } = options;
  if (runtime === "deno") {
    // Deno takes no packed files; a link stands for the package of npm, and wants node_modules.
    const settings = {
      version: "0.1.0",
      ...lotse !== undefined && { links: [lotse], nodeModulesDir: "auto", exclude: [lotse] },
      tasks: {
        manifests: manifestsBy("deno run -A @lotse/lotse/cli", options),
        dev: `deno run -A @lotse/lotse/cli ${DEV}`,
        test: "deno test -A",
        simulate: `deno run -A @lotse/lotse/cli ${SIMULATE}`,
        build: "deno run -A @lotse/lotse/cli build handlers.ts -o operator --backend deno",
      },
      imports: { "@lotse/lotse": `npm:@lotse/lotse@^${version}`, zod: `npm:zod@${ZOD}` },
    };
    return [["deno.json", json(settings)]];
  }
  const command = runtime === "bun" ? "bun --bun lotse" : "lotse";
  const settings = {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    scripts: {
      manifests: manifestsBy(command, options),
      dev: `${command} ${DEV}`,
      check: "tsc",
      test: runtime === "bun" ? "bun test" : "node --test",
      simulate: `${command} ${SIMULATE}`,
      build: `${command} build handlers.ts -o operator`,
    },
    dependencies: { "@lotse/lotse": lotse === undefined ? `^${version}` : `file:${lotse}`, zod: ZOD },
    devDependencies: { "@types/node": "^24.0.0", typescript: "^7.0.0" },
  };
  const compiler = {
    compilerOptions: {
      target: "esnext",
      lib: ["esnext"], // not the browser's: its globals, such as `name`, are none of an operator's
      module: "nodenext",
      types: ["node"],
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      verbatimModuleSyntax: true,
      erasableSyntaxOnly: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true, // four fifths of the time went into the declarations of Node and TypeScript
    },
  };
  return [["package.json", json(settings)], ["tsconfig.json", json(compiler)]];
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function handlers(options: ProjectOptions): string {
  const { kind, plural, group, manner } = options;
  const [imported, body] = manner === "reconcile"
    ? ["kinds, operator, resource", reconcileOf(options)]
    : ["type ChangeHandlerArguments, kinds, operator, resource", changeHandlersOf(options)];
  return `/** Keeps a ConfigMap for each ${kind}. */

import { ${imported} } from "@lotse/lotse";
import { z } from "zod";

// The schema says it once: it gives the types below, and the definition in deploy/ (${
    COMMANDS[options.runtime].manifests
  }).
const Spec = z.object({
  message: z.string().min(1).describe("The text to write."),
  copies: z.int().min(0).max(10).default(1).describe("How often."),
});

const Status = z.object({
  written: z.string().optional().describe("The text that was written last."),
});

export type ${kind}Spec = z.infer<typeof Spec>;
export type ${kind}Status = z.infer<typeof Status>;

export const ${kind} = resource({
  group: "${group}",
  version: "v1",
  plural: "${plural}",
  kind: "${kind}",
  spec: Spec,
  status: Status,
  columns: { Written: "status.written" },
});

${body}
function textOf({ message, copies }: ${kind}Spec): string {
  return Array(copies).fill(message).join(" ");
}

export default op;
`;
}

function changeHandlersOf({ kind }: ProjectOptions): string {
  return `type Arguments = ChangeHandlerArguments<${kind}Spec, ${kind}Status>;

const op = operator();

// Ids are kept on objects: they must stay when functions are renamed.
op.on.create(${kind}, { id: "create" }, write);
op.on.update(${kind}, { id: "update" }, write);

async function write({ name, namespace = "default", spec, body, patch }: Arguments): Promise<void> {
  const text = textOf(spec);
  // Makes the ConfigMap, or brings it in line; it goes when its ${kind} goes.
  await op.api.apply(kinds.ConfigMap, { metadata: { name, namespace }, data: { text } }, { owner: body });
  patch.status.written = text;
}
`;
}

function reconcileOf({ kind }: ProjectOptions): string {
  return `const op = operator();

// What happens to a ConfigMap of ours wakes the reconcile of its ${kind}, too.
op.owns(${kind}, kinds.ConfigMap);

// Called whenever something may have changed: it says what should be, and finds the same result each time.
op.reconcile(${kind}, async function keep({ name, namespace = "default", spec, body, patch }) {
  const text = textOf(spec);
  const card = { metadata: { name, namespace }, data: { text } };
  // Makes the ConfigMap, or takes back what others have changed; it goes when its ${kind} goes.
  await op.api.apply(kinds.ConfigMap, card, { owner: body, force: true });
  patch.status.written = text;
});
`;
}

function test(options: ProjectOptions): string {
  const { kind, manner } = options;
  const isReconcile = manner === "reconcile";
  const check = isReconcile
    ? `  // Somebody breaks it.
  await run.api.patch(kinds.ConfigMap, AT, { data: { text: "Nonsense" } });
  await run.until(kinds.ConfigMap, "one", { data: { text: "Hello Hello" } });`
    : `  assert.deepEqual(run.handled("one"), ["create", "update"]);`;
  return `${isReconcile ? "" : 'import assert from "node:assert/strict";\n'}import { test } from "node:test";
import { kinds } from "@lotse/lotse";
import { start, testCluster } from "@lotse/lotse/testing";
import op, { ${kind} } from "./handlers.ts";

const AT = { name: "one", namespace: "default" };

// The cluster is in this process, and its clock is wound by hand: nothing here waits for real time.
test("keeps a ConfigMap for each ${kind}", async () => {
  await using cluster = await testCluster({ manifests: new URL("deploy/crd.yaml", import.meta.url) });
  await using run = await start(op, { cluster });

  await run.api.create(${kind}, { metadata: AT, spec: { message: "Hello" } });
  await run.until(kinds.ConfigMap, "one", { data: { text: "Hello" } });
  await run.until(${kind}, "one", { status: { written: "Hello" } });

  await run.api.patch(${kind}, AT, { spec: { copies: 2 } });
  await run.until(kinds.ConfigMap, "one", { data: { text: "Hello Hello" } });
${check}

  await run.api.delete(${kind}, AT);
  await run.until(kinds.ConfigMap, "one", "gone");
});
`;
}

const SET_UP = {
  deno: "      - uses: denoland/setup-deno@v2\n        with: { deno-version: v2.x }\n",
  bun: "      - uses: oven-sh/setup-bun@v2\n",
  node: "      - uses: actions/setup-node@v4\n        with: { node-version: 24 }\n",
};

function ci({ runtime }: ProjectOptions): string {
  const { again, manifests, check, test, simulate } = COMMANDS[runtime];
  // CI checks that the manifests in the repository are the ones that the code makes.
  const compare = "git diff --exit-code deploy";
  const steps = [again, manifests, compare, check, test, simulate].filter((step) => step !== "")
    .map((step) => `      - run: ${step}\n`);
  return `name: CI
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
${SET_UP[runtime]}${steps.join("")}`;
}

/** Keeps actions new, and base images, whose digests stay the same otherwise: without fixes, too. */
function dependabot(): string {
  const updates = ["docker", "github-actions"].map((ecosystem) =>
    `  - { package-ecosystem: ${ecosystem}, directory: /, schedule: { interval: weekly } }\n`
  );
  return `version: 2\nupdates:\n${updates.join("")}`;
}

/** Returns an object of the kind. */
function example({ kind, group }: ProjectOptions): string {
  return `apiVersion: ${group}/v1
kind: ${kind}
metadata:
  name: hello
  namespace: default
spec:
  message: Hello
`;
}

function readme(options: ProjectOptions): string {
  const { name, kind, plural, group, runtime } = options;
  const { install, again, manifests, check, test, simulate, dev, build } = COMMANDS[runtime];
  const lock = again === "" ? "" : `

Commit the lock file that \`${install}\` writes: CI and the Dockerfile install what it says (\`${again}\`).`;
  return `# ${name}

A Kubernetes operator made with [Lotse](https://github.com/lotse/lotse): it keeps a ConfigMap for each ${kind}.

## Try it

\`\`\`sh
${[...setUpCommands(runtime), dev].join("\n")}
\`\`\`

writes the manifests in \`deploy/\`, starts a Kubernetes API server in the process, applies the definition and \`deploy/example.yaml\`,
and runs the handlers. When you save one of these files, it is used at once. The command prints how kubectl finds the server.${lock}

## Develop

| | |
| --- | --- |
| \`handlers.ts\` | the kind, and what happens when one is created or changed |
| \`${manifests}\` | writes \`deploy/crd.yaml\` and \`deploy/operator.yaml\`: the definition, the rights that the code needs, the Deployment |
| \`${testName(options)}\` | \`${test}\`: the operator against an API server in the process, in a second |
| \`${simulate}\` | the operator in virtual time for half a minute: objects of all sorts, failing requests, kills; a finding is told step by step |
| \`${check}\` | types |

After a change of the kind, or of what handlers do in the cluster, write the manifests anew: they are made of the code, and CI compares
them. A new field of the kind has one place, the schema in \`handlers.ts\`.

## Deploy

Two Pods share the objects by a Lease: while one works, the other one is ready to take over.

\`\`\`sh
docker build -t registry.example.com/${name}:0.1.0 .   # inside: ${build}
docker push registry.example.com/${name}:0.1.0
kubectl apply -f deploy/operator.yaml
kubectl wait --for condition=Established crd/${plural}.${group}
kubectl apply -f deploy/example.yaml && kubectl get configmap hello -o yaml
\`\`\`

To update, build an image with another tag, write the tag into the command \`manifests\` of ${
    runtime === "deno" ? "deno.json" : "package.json"
  }, and apply \`deploy/operator.yaml\` again.

## Remove

First the objects, while the operator runs and can finish their deletion; then the operator and the definition:

\`\`\`sh
kubectl delete ${plural}.${group} --all --all-namespaces
kubectl delete -f deploy/operator.yaml
\`\`\`

To leave the objects where they are, or when the operator does not run any more: \`lotse uninstall -f deploy/operator.yaml\`.
`;
}
