import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type LogFlags, loggerFor } from "../../lib/cli/options.ts";
import type { LogLevel } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

describe("loggerFor()", () => {
  it("[B284] logs from info on, from debug on with -v and -d, from warn on with -q, which loses against both", () => {
    const least = (flags: LogFlags): LogLevel | undefined => {
      const logger = loggerFor(flags, virtualHost());
      return LEVELS.find((level) => logger.enabled(level));
    };
    assert.equal(least({}), "info");
    assert.equal(least({ verbose: true }), "debug");
    assert.equal(least({ debug: true }), "debug");
    assert.equal(least({ quiet: true }), "warn");
    assert.equal(least({ quiet: true, verbose: true }), "debug");
    assert.equal(least({ quiet: true, debug: true }), "debug");
  });

  it("[B287] begins lines about an object with its name, unless --no-log-prefix says otherwise", () => {
    const written = (flags: LogFlags): string => {
      const host = virtualHost();
      const reference = { kind: "Thing", namespace: "home", name: "one" };
      loggerFor(flags, host).child({ reference }).info("Hello");
      return host.process.stderr;
    };
    for (const logFormat of ["plain", "full"] as const) {
      assert.match(written({ logFormat }), /\[home\/one\] Hello/);
      assert.match(written({ logFormat, logPrefix: true }), /\[home\/one\] Hello/);
      assert.doesNotMatch(written({ logFormat, logPrefix: false }), /home\/one\]/);
    }
  });
});
