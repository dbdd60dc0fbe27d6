import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ConnectionInfo } from "../../../lib/client/auth/connection_info.ts";
import { jumpingClock } from "../../support/jumping_clock.ts";
import { LoginError } from "../../../lib/client/errors.ts";
import { Vault, type VaultOptions } from "../../../lib/client/auth/vault.ts";
import { silentLogger } from "../../../lib/runtime/logging.ts";
import { type VirtualHost, virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { json, makeWorld, refusal, SERVER } from "../fake_server.ts";

function infoOf(token: string, more: Partial<ConnectionInfo> = {}): ConnectionInfo {
  return { server: SERVER, token, ...more };
}

interface Scripted {
  readonly host: VirtualHost;
  readonly vault: Vault;
  /** How many logins there were. */
  readonly logins: () => number;
}

/** A vault whose logins give these infos in turn; the last one again and again. */
function makeVault(
  logins: readonly (readonly ConnectionInfo[] | Error)[],
  options: Partial<VaultOptions> = {},
): Scripted {
  const host = options.host as VirtualHost | undefined ?? virtualHost();
  let count = 0;
  const login = async (): Promise<Map<string, ConnectionInfo>> => {
    const result = logins[Math.min(count++, logins.length - 1)]!;
    await host.clock.sleep(1);
    if (result instanceof Error) throw result;
    return new Map(result.map((info, index) => [`login ${index}`, info]));
  };
  const vault = new Vault({ host, logger: silentLogger(), login, ...options });
  return { host, vault, logins: () => count };
}

/** Waits for a promise while time passes. */
async function within<T>(host: VirtualHost, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = promise.finally(() => isSettled = true);
  settled.catch(() => {});
  await host.clock.until(() => isSettled);
  return await settled;
}

describe("Vault.current()", () => {
  it("logs in once for all who wait, and then gives what that gave", async () => {
    const { host, vault, logins } = makeVault([[infoOf("a")]]);
    const infos = await within(host, Promise.all([vault.current(), vault.current(), vault.current()]));
    assert.deepEqual(infos.map(({ token }) => token), ["a", "a", "a"]);
    assert.equal((await vault.current()).token, "a");
    assert.equal(logins(), 1);
    assert.equal(vault.peek()?.token, "a");
  });

  it("[B262] gives the info with the highest priority until it is invalid", async () => {
    const { host, vault } = makeVault([[infoOf("a", { priority: 10 }), infoOf("b", { priority: 20 })]]);
    const first = await within(host, vault.current());
    for (let times = 0; times < 20; times++) assert.equal(await vault.current(), first);
    assert.equal(first.token, "b");
    vault.invalidate(first);
    for (let times = 0; times < 20; times++) assert.equal((await vault.current()).token, "a");
  });

  it("[B263] gives infos of equal priority in turn, by chance", async () => {
    const { host, vault } = makeVault([[infoOf("a"), infoOf("b")]]);
    await within(host, vault.current());
    const tokens = new Set<string | undefined>();
    for (let times = 0; times < 50; times++) tokens.add((await vault.current()).token);
    assert.deepEqual([...tokens].sort(), ["a", "b"]);
  });

  it("[B266] does not take an info again that was refused, and fails", async () => {
    const { host, vault, logins } = makeVault([[infoOf("a")]]);
    const refusedBy = new Error("401");
    vault.invalidate(await within(host, vault.current()), refusedBy);
    const error = await within(host, vault.current().catch((error) => error));
    assert.ok(error instanceof LoginError);
    assert.match(error.message, /refused.*https:\/\/api\.test \(with a token\)/);
    assert.equal(error.cause, refusedBy);
    assert.equal(logins(), 2);
    assert.doesNotMatch(error.message, /token a/);
  });

  it("fails all who wait, and asks for a login again for the next one", async () => {
    const { host, vault, logins } = makeVault([new Error("no file"), [infoOf("a")]]);
    const results = await within(host, Promise.allSettled([vault.current(), vault.current()]));
    assert.deepEqual(results.map(({ status }) => status), ["rejected", "rejected"]);
    const { reason } = results[0] as PromiseRejectedResult;
    assert.ok(reason instanceof LoginError);
    assert.equal(reason.message, "Cannot log in: no file");
    assert.equal((await within(host, vault.current())).token, "a");
    assert.equal(logins(), 2);
  });

  it("takes a refused info once more after a minute: servers answer 401 while they start", async () => {
    const { host, vault } = makeVault([[infoOf("a")]]);
    vault.invalidate(await within(host, vault.current()));
    await host.clock.advance(50);
    await assert.rejects(within(host, vault.current()), LoginError);
    await host.clock.advance(10);
    assert.equal((await within(host, vault.current())).token, "a");
  });

  it("remembers the last three refused infos", async () => {
    const names = ["a", "b", "c", "d"];
    const { host, vault } = makeVault([...names, "b", "c", "d", "a"].map((name) => [infoOf(name)]), {
      memory: 1e9,
    });
    for (const name of names) {
      const info = await within(host, vault.current());
      assert.equal(info.token, name);
      vault.invalidate(info);
    }
    for (const _refused of ["b", "c", "d"]) await assert.rejects(within(host, vault.current()), LoginError);
    assert.equal((await within(host, vault.current())).token, "a");
  });

  it("stops waiting when the signal aborts, while the login goes on for others", async () => {
    const { host, vault, logins } = makeVault([[infoOf("a")]]);
    const controller = new AbortController();
    const impatient = assert.rejects(vault.current(controller.signal), /enough/);
    const patient = vault.current(new AbortController().signal);
    await host.clock.settle();
    controller.abort(new Error("enough"));
    await impatient;
    assert.equal((await within(host, patient)).token, "a");
    assert.equal(logins(), 1);
  });

  it("says when there is nothing to log in with, so that an operator can stop", async () => {
    const failures: LoginError[] = [];
    const { host, vault } = makeVault([[]], { onFailure: (error) => void failures.push(error) });
    await assert.rejects(within(host, vault.current()), /there are no credentials/);
    assert.equal(failures.length, 1);
  });
});

describe("Vault.invalidate()", () => {
  it("does nothing for an info that was replaced meanwhile", async () => {
    const { host, vault, logins } = makeVault([[infoOf("a")], [infoOf("b")]]);
    const old = await within(host, vault.current());
    vault.invalidate(old);
    assert.equal((await within(host, vault.current())).token, "b");
    vault.invalidate(old);
    assert.equal((await vault.current()).token, "b");
    assert.equal(logins(), 2);
  });

  it("[B264] lets a request go on with new credentials, and the caller notices nothing", async () => {
    const { host, vault } = makeVault([[infoOf("old")], [infoOf("new")]]);
    const world = makeWorld({
      host,
      credentials: vault,
      answer: ({ headers }) => headers["authorization"] === "Bearer new" ? json({ a: 1 }) : refusal(401),
    });
    const { body } = await within(host, world.transport.request({ method: "GET", path: "/" }));
    assert.deepEqual(body, { a: 1 });
    assert.equal(world.seen.length, 2);
    assert.deepEqual(world.messages("warn"), []);
  });

  it("[B265] leads to one login when ten requests are refused at once", async () => {
    const { host, vault, logins } = makeVault([[infoOf("old")], [infoOf("new")]]);
    const world = makeWorld({
      host,
      credentials: vault,
      answer: async ({ headers }) => {
        const isNew = headers["authorization"] === "Bearer new";
        await host.clock.sleep(host.random.next());
        return isNew ? json({}) : refusal(401);
      },
    });
    const requests = Array.from({ length: 10 }, () => world.transport.request({ method: "GET", path: "/" }));
    await within(host, Promise.all(requests));
    assert.equal(logins(), 2);
    assert.equal(world.seen.length, 20);
  });
});

describe("Vault and refusals of good credentials", () => {
  /** A vault in use: the server has taken what it gave. */
  async function provenVault(
    logins: Parameters<typeof makeVault>[0],
    options: Partial<VaultOptions> = {},
  ): Promise<Scripted & { readonly failures: LoginError[] }> {
    const failures: LoginError[] = [];
    const made = makeVault(logins, { onFailure: (error) => void failures.push(error), ...options });
    const info = await within(made.host, made.vault.current());
    made.vault.confirm(info);
    return { ...made, failures };
  }

  it("gives the same info again and again, with pauses, as long as the login has time", async () => {
    const { host, vault, failures } = await provenVault([[infoOf("a")]]);
    const begun = host.clock.monotonic();
    let tries = 0;
    while (host.clock.monotonic() - begun < 40) {
      vault.invalidate(await within(host, vault.current()));
      tries++;
    }
    assert.ok(tries >= 6 && tries < 15, `${tries} tries`);
    vault.confirm(await within(host, vault.current()));
    assert.deepEqual(failures, []);
    await host.clock.advance(1000);
    vault.invalidate(await within(host, vault.current()));
    assert.equal((await within(host, vault.current())).token, "a");
    assert.deepEqual(failures, []);
  });

  it("fails for good when the login's time is over, and says so", async () => {
    const { host, vault, failures } = await provenVault([[infoOf("a")]], { loginTimeout: 30 });
    const begun = host.clock.monotonic();
    await assert.rejects(async () => {
      for (;;) vault.invalidate(await within(host, vault.current()));
    }, /credentials were refused/);
    const passed = host.clock.monotonic() - begun;
    assert.ok(passed >= 30 && passed < 40, `${passed} s`);
    assert.equal(failures.length, 1);
  });

  it("fails for good when one set after the other is refused, however fresh", async () => {
    const { host, vault } = await provenVault(
      Array.from({ length: 1000 }, (_, index) => [infoOf(`t${index}`)]),
      { loginTimeout: 30 },
    );
    await assert.rejects(async () => {
      for (;;) vault.invalidate(await within(host, vault.current()));
    }, LoginError);
    assert.ok(host.clock.monotonic() < 40);
  });

  it("reads files again that were being written", async () => {
    const { host, vault, failures } = await provenVault([
      [infoOf("a")],
      new LoginError("half a file"),
      [infoOf("b")],
    ]);
    vault.invalidate(await within(host, vault.current()));
    assert.equal((await within(host, vault.current())).token, "b");
    assert.deepEqual(failures, []);
  });

  it("waits no longer than somebody waits for it", async () => {
    const { host, vault, failures } = await provenVault([[infoOf("a")]]);
    vault.invalidate(await within(host, vault.current()));
    const controller = new AbortController();
    const refused = assert.rejects(vault.current(controller.signal), /enough/);
    await host.clock.advance(1.5);
    controller.abort(new Error("enough"));
    await refused;
    await host.clock.settle();
    assert.equal(host.clock.pending, 0);
    assert.deepEqual(failures, []);
  });

  it("takes no confirmation of an info that was replaced", async () => {
    const { host, vault } = makeVault([[infoOf("a")]]);
    const info = await within(host, vault.current());
    vault.invalidate(info);
    vault.confirm(info);
    await assert.rejects(within(host, vault.current()), LoginError);
  });

  it("learns from requests that a server takes its credentials", async () => {
    const { host, vault } = makeVault([[infoOf("a")]]);
    let isStarting = false;
    const world = makeWorld({
      host,
      credentials: vault,
      answer: () => isStarting ? refusal(401) : json({ a: 1 }),
    });
    const send = () => within(host, world.transport.request({ method: "GET", path: "/" }));
    await send();
    isStarting = true;
    host.clock.after(20, () => {
      isStarting = false;
    });
    assert.deepEqual((await send()).body, { a: 1 });
    assert.ok(world.seen.length > 6);
  });
});

describe("Vault and expiring credentials", () => {
  it("[B267] logs in before the next request when an info has expired", async () => {
    const host = virtualHost();
    const { vault, logins } = makeVault([[infoOf("a", { expiration: host.clock.now() + 10_000 })], [
      infoOf("b"),
    ]], { host });
    assert.equal((await within(host, vault.current())).token, "a");
    await host.clock.advance(8.9);
    assert.equal((await vault.current()).token, "a");
    await host.clock.advance(0.2);
    assert.equal((await within(host, vault.current())).token, "b");
    assert.equal(logins(), 2);
  });

  it("renews in the background while the old info still works", async () => {
    const host = virtualHost();
    let renewals = 0;
    const renew = async (): Promise<ConnectionInfo> => {
      await host.clock.sleep(5);
      return infoOf(`b${++renewals}`, { expiration: host.clock.now() + 100_000 });
    };
    const first = infoOf("a", {
      refreshAfter: 50_000 + host.clock.now(),
      expiration: 60_000 + host.clock.now(),
      refresh: renew,
      priority: 7,
    });
    const { vault, logins } = makeVault([[first]], { host });
    await within(host, vault.current());
    await host.clock.advance(50);
    assert.equal((await vault.current()).token, "a");
    assert.equal((await vault.current()).token, "a");
    await host.clock.advance(5);
    const renewed = await vault.current();
    assert.equal(renewed.token, "b1");
    assert.equal(renewed.priority, 7, "its place among others stays");
    assert.equal(renewals, 1);
    assert.equal(logins(), 1);
  });

  it("reads again what lives in files, however the wall clock is set meanwhile", async () => {
    const host = virtualHost();
    const clock = jumpingClock(host.clock);
    let renewals = 0;
    const refresh = (): Promise<ConnectionInfo> =>
      Promise.resolve(infoOf(`b${++renewals}`, { refreshEvery: 60, refresh }));
    const { vault } = makeVault([[infoOf("a", { refreshEvery: 60, refresh })]], { host: { ...host, clock } });
    await within(host, vault.current());
    clock.jump(-3 * 3600);
    for (const [seconds, expected] of [[59, 0], [2, 1], [58, 1], [3, 2]] as const) {
      await clock.advance(seconds);
      await vault.current();
      await clock.settle();
      assert.equal(renewals, expected);
    }
    clock.jump(6 * 3600);
    await vault.current();
    await clock.settle();
    assert.equal(renewals, 2);
  });

  it("reads an authority again that the server's certificate does not fit, at once but not again and again", async () => {
    const host = virtualHost();
    const { clock } = host;
    let [reads, ca] = [0, "old"];
    function refresh(): Promise<ConnectionInfo> {
      reads++;
      return Promise.resolve(infoOf("a", { ca, refresh }));
    }
    const { vault } = makeVault([[infoOf("a", { ca, refresh })]], { host });
    const first = await within(host, vault.current());
    assert.equal(await vault.reread(first), false, "it has just been read");
    await clock.advance(6);
    assert.equal(await vault.reread(first), false, "it says the same");
    assert.equal(await vault.reread(await vault.current()), false);
    assert.equal(reads, 1);
    ca = "new";
    await clock.advance(6);
    const old = await vault.current();
    assert.deepEqual(await Promise.all([vault.reread(old), vault.reread(old)]), [true, true]);
    assert.equal((await vault.current()).ca, "new");
    assert.equal(await vault.reread(old), true, "it was replaced meanwhile");
    assert.equal(reads, 2);
  });

  it("sends a request again whose server was not trusted by an authority that was replaced", async () => {
    const host = virtualHost();
    const refresh = (): Promise<ConnectionInfo> => Promise.resolve(infoOf("new", { refresh }));
    const { vault } = makeVault([[infoOf("old", { refresh })]], { host });
    const world = makeWorld({
      host,
      credentials: vault,
      answer: ({ headers }) => {
        if (headers["authorization"] === "Bearer new") return json({ a: 1 });
        throw Object.assign(new Error("who are you"), { code: "SELF_SIGNED_CERT_IN_CHAIN" });
      },
    });
    const request = { method: "GET", path: "/" };
    await within(host, vault.current());
    await assert.rejects(within(host, world.transport.request(request)), /who are you/);
    await host.clock.advance(6);
    assert.deepEqual((await within(host, world.transport.request(request))).body, { a: 1 });
    assert.equal(world.seen.length, 3);
  });

  it("goes on with the old info when a renewal fails, and tries again a little later", async () => {
    const host = virtualHost();
    let attempts = 0;
    const first = infoOf("a", {
      refreshAfter: host.clock.now(),
      refresh: () =>
        ++attempts < 3 ? Promise.reject(new LoginError("no file")) : Promise.resolve(infoOf("b")),
    });
    const { vault } = makeVault([[first]], { host });
    await within(host, vault.current());
    for (let second = 0; second < 19; second++) {
      await host.clock.advance(1);
      assert.equal((await vault.current()).token, "a");
    }
    assert.equal(attempts, 2);
    await host.clock.advance(2);
    await vault.current();
    await host.clock.settle();
    assert.equal((await vault.current()).token, "b");
  });

  it("makes everybody wait for one renewal when an info has expired", async () => {
    const host = virtualHost();
    let renewals = 0;
    const refresh = async (): Promise<ConnectionInfo> => {
      renewals += 1;
      await host.clock.sleep(3);
      return infoOf("b");
    };
    const { vault, logins } = makeVault([[infoOf("a", { expiration: host.clock.now() + 5000, refresh })]], {
      host,
    });
    await within(host, vault.current());
    await host.clock.advance(10);
    const infos = await within(host, Promise.all([vault.current(), vault.current()]));
    assert.deepEqual(infos.map(({ token }) => token), ["b", "b"]);
    assert.equal(renewals, 1);
    assert.equal(logins(), 1);
  });

  it("logs in where an expired info cannot be renewed, and fails where that has expired as well", async () => {
    const host = virtualHost();
    const expiration = host.clock.now() + 5000;
    const first = infoOf("a", { expiration, refresh: () => Promise.resolve(infoOf("b", { expiration })) });
    const { vault, logins } = makeVault([[first], [infoOf("c", { expiration })]], { host });
    await within(host, vault.current());
    await host.clock.advance(10);
    await assert.rejects(within(host, vault.current()), /have expired/);
    assert.equal(logins(), 2);
  });
});
