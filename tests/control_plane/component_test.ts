/** startComponent(), with ordinary programs in the place of components. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Component, startComponent } from "./component.ts";

const options = { timeout: 60_000 };

describe("startComponent()", () => {
  let directory = "";
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "component-"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  function startShell(script: string): Component {
    return startComponent({
      name: "shell",
      command: ["sh", "-c"],
      args: [script],
      directory,
      ownsDirectory: true,
    });
  }

  it("keeps the log of a component that ends by itself, beyond its end", options, async () => {
    const component = startShell("seq 30; echo last words >&2; exit 3");
    await component.end;
    await sleep(500); // Real time: the guard beside the component would have removed the folder by then.
    assert.equal(component.ended, true);
    assert.deepEqual(component.tail().split("\n").slice(-2), ["30", "last words"]);
    assert.equal(component.tail().split("\n").length, 20);
  });

  it("stops with SIGTERM in the component's own time, and with SIGKILL at once", options, async () => {
    const polite = startShell("trap 'echo bye; exit' TERM; echo ready; while true; do sleep 0.05; done");
    await until(() => polite.tail().includes("ready"));
    await polite.stop("SIGTERM");
    assert.equal(polite.tail(), "ready\nbye");
    const stubborn = startShell("trap '' TERM; while true; do sleep 0.05; done");
    await stubborn.stop("SIGKILL");
    await stubborn.stop("SIGKILL");
    assert.equal(isRunning(stubborn.pid), false);
  });

  it("has the process id of the component itself", options, async () => {
    const component = startShell("echo $$; while true; do sleep 0.05; done");
    await until(() => component.tail() !== "");
    assert.equal(Number(component.tail()), component.pid);
    await component.stop("SIGKILL");
  });

  it("ends with its owner, however that ends, and takes the folder along", options, async () => {
    const script = fileURLToPath(new URL("hold.ts", import.meta.url));
    const flags = process.versions.deno ? ["run", "--no-config", "-A"] : [];
    const owner = spawn(process.execPath, [...flags, script, directory], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [output] = await once(owner.stdout, "data");
    const pid = Number(String(output));
    assert.equal(isRunning(pid), true);
    owner.kill("SIGKILL");
    await until(() => !isRunning(pid) && !existsSync(directory));
  });
});

/** Waits for real time, because processes are real. The test's own time limit ends it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
