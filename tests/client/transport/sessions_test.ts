import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ConnectionInfo } from "../../../lib/client/auth/connection_info.ts";
import { Sessions } from "../../../lib/client/transport/sessions.ts";
import type { Connection, ConnectOptions } from "../../../lib/runtime/host.ts";
import { createLogger, type LogRecord } from "../../../lib/runtime/logging.ts";
import { type VirtualHost, virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { defaultSettings } from "../../../lib/settings/settings.ts";

const SERVER = "https://api.test";

interface Opened {
  readonly options: ConnectOptions;
  closed: boolean;
}

/** Sessions, and the connections that they made. */
function makeSessions(options: { env?: Record<string, string>; trustEnv?: boolean; fail?: Error } = {}): {
  sessions: Sessions;
  opened: Opened[];
  logs: LogRecord[];
  host: VirtualHost;
} {
  const { env, trustEnv = false, fail } = options;
  const host = virtualHost({ env });
  const opened: Opened[] = [];
  const connect = (connectOptions: ConnectOptions): Connection => {
    if (fail !== undefined) throw fail;
    const entry: Opened = { options: connectOptions, closed: false };
    opened.push(entry);
    return {
      request: () => Promise.reject(new Error("unused")),
      [Symbol.dispose]: () => void (entry.closed = true),
    };
  };
  const logs: LogRecord[] = [];
  const logger = createLogger({ level: "debug", write: (record) => logs.push(record) }, host.clock);
  const networking = { ...defaultSettings().networking, trustEnv, connectTimeout: 7 };
  const network = { connect, serve: host.network.serve.bind(host.network) };
  return {
    sessions: new Sessions({ host: { ...host, network }, networking, userAgent: "me", logger }),
    opened,
    logs,
    host,
  };
}

const OLD: ConnectionInfo = { server: SERVER, cert: "old", key: "old" };
const NEW: ConnectionInfo = { server: SERVER, cert: "new", key: "new" };

describe("Sessions", () => {
  it("share connections between infos that differ in their tokens", () => {
    const { sessions, opened } = makeSessions();
    const [first, second] = [{ server: SERVER, token: "a" }, { server: SERVER, token: "b" }].map((info) =>
      sessions.for(info)
    );
    assert.equal(opened.length, 1);
    assert.equal(first!.connection, second!.connection);
    assert.equal(first!.headers["authorization"], "Bearer a");
    assert.equal(second!.headers["authorization"], "Bearer b");
    assert.equal(opened[0]!.options.connectTimeout, 7);
  });

  it("say once for each server that its certificate is not checked", () => {
    const { sessions, logs } = makeSessions();
    for (const token of ["a", "b"]) {
      sessions.for({ server: "https://u:secret@api.test", insecure: true, token });
    }
    sessions.for({ server: "https://u:secret@api.test", insecure: true, cert: "other", key: "other" });
    sessions.for({ server: "http://api.test", insecure: true });
    sessions.for(OLD);
    assert.deepEqual(logs.map(({ level, fields }) => [level, fields]), [["warn", {
      server: "https://u:***@api.test",
    }]]);
    assert.match(logs[0]?.message ?? "", /not checked \("insecure-skip-tls-verify"\)/);
  });

  it("build the headers of an info once", () => {
    const { sessions } = makeSessions();
    assert.equal(sessions.for(OLD), sessions.for(OLD));
  });

  it("close connections that a new certificate left behind, when no request can be in flight on them", async () => {
    const { sessions, opened, host } = makeSessions();
    sessions.for(OLD);
    await host.clock.advance(1000);
    sessions.for(OLD);
    sessions.for(NEW);
    await host.clock.advance(299);
    assert.deepEqual(opened.map(({ closed }) => closed), [false, false]);
    sessions.for(NEW);
    await host.clock.advance(2);
    assert.deepEqual(opened.map(({ closed }) => closed), [true, false]);
    sessions.for(OLD);
    assert.equal(opened.length, 3, "a closed one is opened again when it is wanted");
  });

  it("close everything when they are disposed", () => {
    const { sessions, opened, host } = makeSessions();
    sessions.for(OLD);
    sessions.for(NEW);
    sessions[Symbol.dispose]();
    assert.deepEqual(opened.map(({ closed }) => closed), [true, true]);
    assert.equal(host.clock.pending, 0);
  });

  it("[B275] ignore proxies of the environment, unless they are to be trusted", () => {
    const env = { HTTPS_PROXY: "http://proxy.test" };
    for (const trustEnv of [false, true]) {
      const { sessions, opened } = makeSessions({ env, trustEnv });
      sessions.for(OLD);
      assert.equal(opened[0]!.options.proxy, trustEnv ? "http://proxy.test" : undefined);
      sessions.for({ ...OLD, proxy: "http://own.test" });
      assert.equal(opened[1]!.options.proxy, "http://own.test");
    }
  });

  it("say that certificates cannot be used", () => {
    const { sessions } = makeSessions({ fail: new Error("Cannot parse the key") });
    assert.throws(() => sessions.for(OLD), {
      name: "LoginError",
      message: 'Cannot prepare a connection to "https://api.test": Cannot parse the key',
    });
  });
});
