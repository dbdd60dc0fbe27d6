/**
 * Credentials that a real kube-apiserver refuses, and what becomes of the requests that had them.
 */

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { ConnectionInfo } from "../../../lib/client/auth/connection_info.ts";
import { Vault } from "../../../lib/client/auth/vault.ts";
import { type ApiError, LoginError } from "../../../lib/client/errors.ts";
import { currentHost } from "../../../lib/runtime/current_host.ts";
import { silentLogger } from "../../../lib/runtime/logging.ts";
import { operator } from "../../../mod.ts";
import { type ControlPlane, findControlPlane, startControlPlane } from "../../control_plane/control_plane.ts";
import {
  CONFIG_MAPS,
  configMap,
  connect,
  eventually,
  NAMESPACES,
  type RealClient,
  until,
} from "./real_server.ts";

const skip = findControlPlane().reason ?? false;
const SLOW = { skip, timeout: 120_000 };

let plane: ControlPlane | undefined;

/** NB: not a `before` hook, to which Bun gives 5 s whatever it is told. */
async function open(): Promise<ControlPlane> {
  return plane ??= await startControlPlane();
}

after(async () => await plane?.stop(), { timeout: 60_000 });

/** What the server knows one by: its administrator, by token or by certificate, or a stranger. */
async function waysIn(): Promise<Record<"token" | "certificate" | "stranger", ConnectionInfo>> {
  const { server, caPem: ca, adminToken, admin } = await open();
  return {
    token: { server, ca, token: adminToken },
    certificate: { server, ca, cert: admin.certificate, key: admin.key },
    stranger: { server, ca, token: "nobody-knows-it" },
  };
}

interface Session extends AsyncDisposable {
  readonly real: RealClient;
  readonly vault: Vault;
  /** How many logins there were. */
  readonly logins: () => number;
}

/** A client whose logins give these ways in, one set after the other; the last one again and again. */
async function sessionOf(...logins: readonly (readonly ConnectionInfo[])[]): Promise<Session> {
  let count = 0;
  const vault = new Vault({
    host: currentHost(),
    logger: silentLogger(),
    login: () => {
      const infos = logins[Math.min(count++, logins.length - 1)] ?? [];
      return Promise.resolve(new Map(infos.map((info, index) => [`login ${index}`, info])));
    },
  });
  const real = await connect(await open(), vault);
  return {
    real,
    vault,
    logins: () => count,
    [Symbol.asyncDispose]: () => Promise.resolve(real.client.transport[Symbol.dispose]()),
  };
}

const DEFAULT = { name: "default" } as const;

describe("Credentials that a real API server refuses", () => {
  it(
    "[B264] are replaced by another login, and the request that had them does not notice",
    SLOW,
    async () => {
      const { stranger, token } = await waysIn();
      await using session = await sessionOf([stranger], [token]);
      const { metadata } = await session.real.client.get(NAMESPACES, DEFAULT);
      assert.deepEqual([metadata.name, session.logins()], ["default", 2]);
    },
  );

  it("[B265] are replaced once, however many requests had them", SLOW, async () => {
    const { stranger, token } = await waysIn();
    await using session = await sessionOf([stranger], [token]);
    const { client } = session.real;
    const found = await Promise.all(Array.from({ length: 10 }, () => client.get(NAMESPACES, DEFAULT)));
    assert.deepEqual(found.map(({ metadata }) => metadata.name), Array(10).fill("default"));
    assert.equal(session.logins(), 2);
  });

  it("[B266] are not taken again when the next login gives the same", SLOW, async () => {
    const { stranger } = await waysIn();
    await using session = await sessionOf([stranger]);
    const error = await session.real.client.get(NAMESPACES, DEFAULT).catch((error) => error);
    assert.ok(error instanceof LoginError, String(error));
    assert.equal((error.cause as ApiError).status, 401);
    assert.doesNotMatch(error.message, /nobody-knows-it/);
    assert.equal(session.real.requests.length, 1, "the server is asked once");
  });

  it("[B262] give way to those of lower priority, which were not used before", SLOW, async () => {
    const { stranger, token, certificate } = await waysIn();
    await using good = await sessionOf([{ ...stranger, priority: 10 }, { ...token, priority: 20 }]);
    for (let times = 0; times < 10; times++) await good.real.client.get(NAMESPACES, DEFAULT);
    assert.equal(good.real.requests.length, 10, "nothing was refused");
    await using bad = await sessionOf([{ ...certificate, priority: 10 }, { ...stranger, priority: 20 }]);
    for (let times = 0; times < 5; times++) await bad.real.client.get(NAMESPACES, DEFAULT);
    assert.deepEqual([(await bad.vault.current()).cert, bad.logins()], [certificate.cert, 1]);
  });

  it("[B263] of equal priority are both used, and both lead in", SLOW, async () => {
    const { certificate, token } = await waysIn();
    const [jane, john] = ["jane", "john"].map((user) => ({ user, groups: ["system:masters"] }));
    await using session = await sessionOf([{ ...token, impersonate: jane }, {
      ...certificate,
      impersonate: john,
    }]);
    const names = new Set<unknown>();
    for (let times = 0; times < 40; times++) names.add(await whoAmI(session.real));
    assert.deepEqual([...names].sort(), ["jane", "john"]);
    assert.equal(session.logins(), 1);
  });

  it("[B267] are not shown to the server once they have expired", SLOW, async () => {
    const { token, certificate } = await waysIn();
    const expiration = Date.now() + 2000;
    await using session = await sessionOf([{ ...token, expiration }], [certificate]);
    await session.real.client.get(NAMESPACES, DEFAULT);
    assert.equal((await session.vault.current()).token, token.token);
    await until(() => Date.now() > expiration);
    await session.real.client.get(NAMESPACES, DEFAULT);
    assert.deepEqual([(await session.vault.current()).cert, session.logins()], [certificate.cert, 2]);
    assert.equal(session.real.requests.length, 2);
  });

  it("that are a certificate are refused in the second in which it expires, and replaced", SLOW, async () => {
    const { authority } = await open();
    const { certificate, token } = await waysIn();
    const short = await authority.issue({
      commonName: "short",
      organizations: ["system:masters"],
      client: true,
      days: 3 / 86_400,
    });
    const info = { ...certificate, cert: short.certificate, key: short.key };
    await using session = await sessionOf([info], [token]);
    const { client } = session.real;
    assert.equal(await whoAmI(session.real), "short");
    await eventually(async () => {
      await client.get(NAMESPACES, DEFAULT);
      assert.equal(session.logins(), 2);
    });
    assert.equal(await whoAmI(session.real), "admin");
  });
});

describe("An operator whose login handlers give what a real API server refuses", () => {
  it("asks them again, and loses no event", SLOW, async () => {
    const { stranger, token } = await waysIn();
    const { client } = await connect(await open());
    await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "logins" } });
    await client.create(CONFIG_MAPS, configMap("before", "logins"));
    const op = operator();
    let logins = 0;
    op.on.login(() => logins++ === 0 ? stranger : token);
    const seen = new Set<string>();
    op.on.event("configmaps", ({ name }) => void seen.add(name));
    const controller = new AbortController();
    const run = op.run({ scope: ["logins"], standalone: true, signal: controller.signal });
    await until(() => seen.has("before"));
    await client.create(CONFIG_MAPS, configMap("after", "logins"));
    await until(() => seen.has("after"));
    controller.abort();
    await run;
    assert.equal(logins, 2);
    client.transport[Symbol.dispose]();
  });
});

const REVIEWS = {
  group: "authentication.k8s.io",
  version: "v1",
  plural: "selfsubjectreviews",
  namespaced: false,
} as const;

/** As whom the server knows the client. */
async function whoAmI({ client }: RealClient): Promise<string> {
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const { status } = await client.create<{ status: { userInfo: { username: string } } }>(REVIEWS, review);
  return status.userInfo.username;
}
