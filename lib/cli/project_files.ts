/**
 * The files of a project that `new` writes, as texts.
 *
 * They are a start that works, not a showcase: one kind, one child object, one test, and what a cluster needs.
 */

import { dockerfile, type Runtime } from "./dockerfile.ts";
import { crd, example, manifests } from "./project_manifests.ts";

/** Whether the project begins with handlers of what has changed, or with a function that says what should be. */
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
  /** Absolute path of a package or checkout of Lotse. Default: from npm. */
  readonly lotse?: string;
}

/** Returns the files by their paths in the project. */
export function projectFiles(options: ProjectOptions): Map<string, string> {
  const files = new Map<string, string>([
    ["handlers.ts", handlers(options)],
    [testName(options), test(options)],
    ["deploy/crd.yaml", crd(options)],
    ["deploy/example.yaml", example(options)],
    ["deploy/operator.yaml", manifests(options)],
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

/** Returns the command that installs a project's packages; undefined where none need be. */
export function installCommand(runtime: Runtime): string | undefined {
  return COMMANDS[runtime].install || undefined;
}

export interface NextStepsOptions {
  readonly folder: string;
  readonly runtime: Runtime;
  /** Whether the packages are there. */
  readonly isInstalled: boolean;
}

/** Returns the commands to type next. */
export function nextSteps({ folder, runtime, isInstalled }: NextStepsOptions): string {
  const { install, test, dev } = COMMANDS[runtime];
  const steps = [`cd ${folder}`, ...install === "" || isInstalled ? [] : [install], test, dev];
  return [`Made ${folder}. Next:`, ...steps.map((step) => `  ${step}`), ""].join("\n");
}

/** Commands that people type, and CI runs. */
const COMMANDS = {
  deno: {
    install: "",
    check: "deno check",
    test: "deno test -A",
    dev: "deno task dev",
    build: "deno task build",
  },
  bun: {
    install: "bun install",
    check: "bun run check",
    test: "bun test",
    dev: "bun run dev",
    build: "bun run build",
  },
  node: {
    install: "npm install",
    check: "npm run check",
    test: "npm test",
    dev: "npm run dev",
    build: "npm run build",
  },
} as const;

const DEV = "dev handlers.ts --apply deploy/crd.yaml deploy/example.yaml";

function testName({ runtime }: ProjectOptions): string {
  return runtime === "deno" ? "handlers_test.ts" : "handlers.test.ts";
}

function projectSettings(options: ProjectOptions): [string, string][] {
  const { name, runtime, version, lotse } = options;
  if (runtime === "deno") {
    // Deno does not take packed files; a link stands for the package of JSR.
    const source = lotse === undefined ? `npm:@lotse/lotse@^${version}` : `jsr:@lotse/lotse@^${version}`;
    const settings = {
      version: "0.1.0",
      ...lotse !== undefined && { links: [lotse] },
      tasks: {
        dev: `deno run -A @lotse/lotse/cli ${DEV}`,
        test: "deno test -A",
        build: "deno run -A @lotse/lotse/cli build handlers.ts -o operator --backend deno",
      },
      imports: { "@lotse/lotse": source },
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
      dev: `${command} ${DEV}`,
      check: "tsc",
      test: runtime === "bun" ? "bun test" : "node --test",
      build: `${command} build handlers.ts -o operator`,
    },
    dependencies: { "@lotse/lotse": lotse === undefined ? `^${version}` : `file:${lotse}` },
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

/** A field that you add here belongs into deploy/crd.yaml, too: the API server drops what is not there. */
export interface ${kind}Spec {
  /** The text to write. */
  message: string;
  /** How often. Default: 1. */
  copies?: number;
}

export interface ${kind}Status {
  /** The text that was written last. */
  written?: string;
}

export const ${kind} = resource<${kind}Spec, ${kind}Status>({
  group: "${group}",
  version: "v1",
  plural: "${plural}",
  kind: "${kind}",
});

${body}
function textOf({ message, copies = 1 }: { readonly message: string; readonly copies?: number }): string {
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
  const { install, check, test } = COMMANDS[runtime];
  const steps = [install, check, test].filter((step) => step !== "").map((step) => `      - run: ${step}\n`);
  return `name: CI
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
${SET_UP[runtime]}${steps.join("")}`;
}

/** Keeps actions new, and base images, whose digests stay what they are otherwise: without fixes, too. */
function dependabot(): string {
  const updates = ["docker", "github-actions"].map((ecosystem) =>
    `  - { package-ecosystem: ${ecosystem}, directory: /, schedule: { interval: weekly } }\n`
  );
  return `version: 2\nupdates:\n${updates.join("")}`;
}

function readme(options: ProjectOptions): string {
  const { name, kind, plural, group, runtime } = options;
  const { install, check, test, dev, build } = COMMANDS[runtime];
  const first = install === "" ? "" : `${install}\n`;
  return `# ${name}

A Kubernetes operator made with [Lotse](https://github.com/lotse/lotse): it keeps a ConfigMap for each ${kind}.

## Try it

\`\`\`sh
${first}${dev}
\`\`\`

starts a Kubernetes API server in the process, applies \`deploy/crd.yaml\` and \`deploy/example.yaml\`, and runs the handlers. When you
save one of these files, it is used at once. The command prints how kubectl finds the server.

## Develop

| | |
| --- | --- |
| \`handlers.ts\` | the kind, and what happens when one is created or changed |
| \`${testName(options)}\` | \`${test}\`: the operator against an API server in the process, in a second |
| \`${check}\` | types |
| \`deploy/\` | the definition of the kind, an example, and what the operator needs in a cluster |

A new field of the kind has two places: its type in \`handlers.ts\`, and its schema in \`deploy/crd.yaml\`. The API server drops fields that
are not in the schema. If you give \`resource()\` a schema (of zod, for example) in place of the types, \`lotse generate crd\` writes the definition.

When handlers do something new in the cluster, the role in \`deploy/operator.yaml\` may lack a right: the operator says so when it starts.

## Deploy

\`\`\`sh
docker build -t registry.example.com/${name}:0.1.0 .   # inside: ${build}
docker push registry.example.com/${name}:0.1.0
kubectl apply -f deploy/crd.yaml -f deploy/operator.yaml
kubectl wait --for condition=Established crd/${plural}.${group}
kubectl apply -f deploy/example.yaml && kubectl get configmap hello -o yaml
\`\`\`

To update, build an image with another tag, write the tag to \`deploy/operator.yaml\`, and apply both files again.

## Remove

First the objects, while the operator runs and can finish their deletion; then the operator; then the definition:

\`\`\`sh
kubectl delete ${plural}.${group} --all --all-namespaces
kubectl delete -f deploy/operator.yaml
kubectl delete -f deploy/crd.yaml
\`\`\`
`;
}
