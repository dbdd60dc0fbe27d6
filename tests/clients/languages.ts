/**
 * Runs what docs/api-server-for-tests.md shows to people who write tests in other languages, as it stands there:
 * `deno run -A tests/clients/languages.ts [go|python|typescript]...` (needs Go, Python with venv, and their packages once).
 *
 * `lotse` is a script in front of cli.ts. The block in Python becomes a conftest.py beside a test of ours; the line for envtest runs
 * the small project in `envtest/`; the block in TypeScript runs by itself. Red if one fails.
 */

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGE = readFileSync(join(ROOT, "docs/api-server-for-tests.md"), "utf8");
/** Packages of Python, which a run keeps for the next. */
const VENV = join(homedir(), ".cache", "lotse", "languages-python");
const PACKAGES = ["kubernetes==37.0.2", "pytest==9.2.0"];

/** Two tests, of which neither sees what the other has made. */
const PYTHON_TEST = `
import pytest
from kubernetes import client

WIDGETS = ("languages.example.com", "v1", "default", "widgets")

@pytest.mark.parametrize("size", [1, 2])
def test_widget(clean, size):
    api = client.CustomObjectsApi(clean)
    assert api.list_namespaced_custom_object(*WIDGETS)["items"] == []
    widget = {"apiVersion": "languages.example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"size": size}}
    made = api.create_namespaced_custom_object(*WIDGETS, widget)
    assert made["spec"] == {"size": size, "colour": "blue"}
    with pytest.raises(client.ApiException) as refused:
        api.create_namespaced_custom_object(*WIDGETS, {**widget, "metadata": {"name": "b"}, "spec": {"size": 0}})
    assert refused.value.status == 422
    api.delete_namespaced_custom_object(*WIDGETS, "a")

def test_leftover(clean):
    client.CoreV1Api(clean).create_namespaced_config_map("default", {"metadata": {"name": "left"}})

def test_nothing_is_left(clean):
    names = [each.metadata.name for each in client.CoreV1Api(clean).list_namespaced_config_map("default").items]
    assert "left" not in names
`;

const LANGUAGES: Readonly<Record<string, (folder: string) => void>> = { go, python, typescript };
const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !Object.hasOwn(LANGUAGES, name));
if (unknown !== undefined) {
  console.error(`There is no language ${JSON.stringify(unknown)}: ${Object.keys(LANGUAGES).join(", ")}`);
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "lotse-languages-"));
try {
  writeFileSync(
    join(folder, "lotse"),
    `#!/bin/sh\nexec deno run -A --no-check ${join(ROOT, "cli.ts")} "$@"\n`,
  );
  chmodSync(join(folder, "lotse"), 0o755);
  for (const name of wanted.length > 0 ? wanted : Object.keys(LANGUAGES)) {
    const started = performance.now();
    const own = join(folder, name);
    mkdirSync(own);
    LANGUAGES[name]?.(own);
    console.log(`${name}: passed after ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Returns the first block of a language below a heading of the page. */
function blockOf(heading: string, language: string): string {
  const section = PAGE.slice(PAGE.indexOf(`\n## ${heading}\n`));
  const [, block] = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(section) ?? [];
  if (block === undefined) throw new Error(`The page has no block in ${language} below "${heading}"`);
  return block;
}

function run(cwd: string, command: string, args: readonly string[]): void {
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const { status } = spawnSync(command, args, { cwd, env, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} has ended with ${status}`);
}

/** The last line of the block is the whole: stand-ins, and the project's tests on them. */
function go(own: string): void {
  const line = blockOf("Go, with envtest", "sh").trim().split("\n").at(-1)?.replace(/\s+#.*$/, "") ?? "";
  cpSync(join(ROOT, "tests/clients/envtest"), own, { recursive: true });
  run(own, "sh", ["-c", line]);
}

function python(own: string): void {
  if (!existsSync(join(VENV, "bin", "pytest"))) {
    run(own, "python3", ["-m", "venv", VENV]);
    run(own, join(VENV, "bin", "pip"), ["install", "--quiet", ...PACKAGES]);
  }
  writeFileSync(join(own, "conftest.py"), blockOf("Python", "python"));
  writeFileSync(join(own, "test_widgets.py"), PYTHON_TEST);
  mkdirSync(join(own, "crds"));
  cpSync(join(ROOT, "tests/clients/envtest/crds"), join(own, "crds"), { recursive: true });
  run(own, join(VENV, "bin", "pytest"), ["-q"]);
}

function typescript(own: string): void {
  const file = join(ROOT, `languages-${process.pid}.tmp.ts`);
  writeFileSync(file, blockOf("TypeScript", "ts"));
  try {
    run(own, "deno", ["run", "-A", "--no-check", file]);
  } finally {
    rmSync(file);
  }
}
