/**
 * One component of a control plane: a process that cannot outlive ours.
 *
 * A shell looks every second whether we are still there, and kills the component where we are not, in whatever way we
 * ended. The shell then is the component, by `exec`, so that its end is the component's own.
 */

import type { Host } from "../../../runtime/host.ts";
import type { Command } from "./binaries.ts";

/** How to start a component. */
export interface ComponentOptions {
  readonly host: Host;
  /** Its output goes to `<name>.log` in the folder. */
  readonly name: string;
  readonly command: Command;
  readonly args: readonly string[];
  /** The control plane's folder; also the working directory. */
  readonly folder: string;
}

const GUARD = `
name=$0 parent=$1 folder=$2; shift 2
echo $$ > "$folder/$name.pid"
{
  trap "" TERM HUP INT # Who ends a group of processes ends this one, too.
  while sleep 1 && kill -0 $$; do
    kill -0 "$parent" || { kill -KILL $$; sleep 0.2; rm -rf -- "$folder"; exit; }
  done
} </dev/null >/dev/null 2>&1 &
exec "$@" </dev/null >>"$folder/$name.log" 2>&1`;

const LAST_LINES = 20;

/** A running component. */
export class Component {
  readonly name: string;
  readonly #options: ComponentOptions;
  readonly #end: Promise<unknown>;
  #hasEnded = false;

  /** Starts it, and does not wait until it is any good. */
  constructor(options: ComponentOptions) {
    const { host, name, command, args, folder } = options;
    this.name = name;
    this.#options = options;
    const guarded = ["-c", GUARD, name, String(host.process.pid), folder, ...command, ...args];
    this.#end = host.process.run("/bin/sh", guarded, { cwd: folder }).catch(() => {}).finally(() => {
      this.#hasEnded = true;
    });
  }

  /** Resolves when it is ready. @throws {Error} If it ends, or takes longer than a minute; with the end of its log. */
  async whenReady(isReady: () => Promise<boolean>): Promise<void> {
    const { clock } = this.#options.host;
    const deadline = clock.monotonic() + 60;
    while (!await isReady()) {
      if (this.#hasEnded) throw await this.#failure("it has ended");
      if (clock.monotonic() > deadline) throw await this.#failure("it is not ready after 60 s");
      await clock.sleep(0.05);
    }
  }

  /** Kills it, and resolves when it is gone. */
  async stop(): Promise<void> {
    const { host, folder } = this.#options;
    if (!this.#hasEnded) {
      const pid = host.files.resolve(folder, `${this.name}.pid`);
      await host.process.run("/bin/sh", ["-c", 'kill -KILL "$(cat "$0")"', pid]);
    }
    await this.#end;
  }

  async #failure(reason: string): Promise<Error> {
    const { host: { files }, folder } = this.#options;
    const log = await files.readText(files.resolve(folder, `${this.name}.log`)).catch(() => "");
    const lines = log.trimEnd().split("\n").slice(-LAST_LINES).join("\n");
    return new Error(`Cannot start ${this.name}: ${reason}. The end of its log:\n${lines}`);
  }
}
