import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OptionValues } from "../../lib/cli/command.ts";
import { loggerFor } from "../../lib/cli/shared_options.ts";
import type { LogLevel } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

describe("loggerFor()", () => {
  it("[B284] logs from info on, from debug on with -v and -d, from warn on with -q, which loses against both", () => {
    const least = (...flags: string[]): LogLevel | undefined => {
      const options = new OptionValues(new Map(flags.map((flag) => [flag, true])));
      const logger = loggerFor(options, virtualHost());
      return LEVELS.find((level) => logger.enabled(level));
    };
    assert.equal(least(), "info");
    assert.equal(least("verbose"), "debug");
    assert.equal(least("debug"), "debug");
    assert.equal(least("quiet"), "warn");
    assert.equal(least("quiet", "verbose"), "debug");
    assert.equal(least("quiet", "debug"), "debug");
  });
});
