import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadKubeconfig } from "../../../lib/client/auth/kubeconfig.ts";
import { type VirtualHost, virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { parseYaml } from "../../../lib/runtime/yaml.ts";
import { idToken } from "../kubeconfigs.ts";

const NOW = virtualHost().clock.now();
const PATH = "/kube/config";
const ISSUER = "https://issuer.test";
const OLD = idToken(NOW, -60, "old");
const FRESH = idToken(NOW, 3600, "fresh");

/** A kubeconfig with a comment, and an expired token. */
function kubeconfig(config: Record<string, string> = {}, token: string | undefined = OLD): string {
  const fields = {
    "client-id": "kube",
    "idp-issuer-url": `${ISSUER}/realm/`,
    "refresh-token": "refresh-1",
    ...token !== undefined && { "id-token": token },
    ...config,
  };
  return `apiVersion: v1
kind: Config
current-context: it
contexts: [{ name: it, context: { cluster: c, user: u } }]
clusters: [{ name: c, cluster: { server: "https://api.test" } }]
# Mine: do not lose this.
users: [{ name: other, user: { token: "yes" } }, { name: u, user: { auth-provider: { name: oidc, config: ${
    JSON.stringify(fields)
  } } } }]
`;
}

interface Provider {
  readonly host: VirtualHost;
  /** What was asked: path, authorization, form. */
  readonly asked: string[];
}

/** A host with a provider that gives tokens, or answers otherwise. */
function provider(
  text: string,
  answer: (form: URLSearchParams, request: Request) => Response | object,
): Provider {
  const host = virtualHost({ files: { [PATH]: text } });
  const asked: string[] = [];
  host.network.route(ISSUER, async (request) => {
    const { pathname } = new URL(request.url);
    if (request.method === "GET") {
      asked.push(pathname);
      return Response.json({ token_endpoint: `${ISSUER}/token?x=1` });
    }
    const form = new URLSearchParams(await request.text());
    asked.push(
      `${request.headers.get("authorization") ?? "-"} ${[...form].map((pair) => pair.join("=")).join("&")}`,
    );
    const given = answer(form, request);
    return given instanceof Response ? given : Response.json(given);
  });
  return { host, asked };
}

function load({ host }: Provider): ReturnType<typeof loadKubeconfig> {
  return loadKubeconfig({ host, paths: [PATH] });
}

/** The provider's configuration that the file has. */
async function written({ files }: VirtualHost): Promise<Record<string, string>> {
  // Made by kubeconfig().
  const { users } = parseYaml(await files.readText(PATH))[0] as { users: { name: string; user: object }[] };
  const { user } = users.find(({ name }) => name === "u") ?? {};
  return (user as { "auth-provider": { config: Record<string, string> } })["auth-provider"].config;
}

describe('An auth-provider "oidc" whose id token has expired', () => {
  it("is asked for another one, which the kubeconfig holds from then on, with its comments", async () => {
    const made = provider(kubeconfig(), () => ({ id_token: FRESH, refresh_token: "refresh-2" }));
    const info = await load(made);
    assert.deepEqual([info.token, info.expiration], [FRESH, NOW + 3_590_000]);
    assert.deepEqual(made.asked, [
      "/realm/.well-known/openid-configuration",
      "- grant_type=refresh_token&refresh_token=refresh-1&client_id=kube",
    ]);
    const text = await made.host.files.readText(PATH);
    assert.equal(text, kubeconfig({ "refresh-token": "refresh-2" }, FRESH));
    assert.match(text, /do not lose this/);
    assert.equal(await made.host.files.exists(`${PATH}.lock`), false);
    // The next login asks nobody.
    assert.equal((await load(made)).token, FRESH);
    assert.equal(made.asked.length, 2);
  });

  it("keeps the refresh token where no other one is given, and writes an id token that was not there", async () => {
    const made = provider(kubeconfig({}, ""), () => ({ id_token: FRESH }));
    assert.equal((await load(made)).token, FRESH);
    assert.deepEqual(await written(made.host), {
      "client-id": "kube",
      "idp-issuer-url": `${ISSUER}/realm/`,
      "refresh-token": "refresh-1",
      "id-token": FRESH,
    });
    // A text that looks like something else to other readers of YAML stays a text.
    assert.match(await made.host.files.readText(PATH), /token: ["']yes["']/);
  });

  it("sends the client's secret as a header, and in the form where that is refused", async () => {
    const answer = (form: URLSearchParams): Response | object =>
      form.has("client_secret")
        ? { id_token: FRESH }
        : Response.json({ error: "invalid_client" }, { status: 401 });
    const made = provider(kubeconfig({ "client-secret": "s/cret" }), answer);
    assert.equal((await load(made)).token, FRESH);
    assert.deepEqual(made.asked.slice(1), [
      `Basic ${btoa("kube:s%2Fcret")} grant_type=refresh_token&refresh_token=refresh-1`,
      "- grant_type=refresh_token&refresh_token=refresh-1&client_id=kube&client_secret=s/cret",
    ]);
  });

  it("loses a race without harm: another program has renewed it meanwhile", async () => {
    const made = provider(kubeconfig(), () => assert.fail("asked"));
    const { host } = made;
    await host.files.createText(`${PATH}.lock`, "");
    const loading = load(made);
    await host.clock.advance(1);
    await host.files.writeText(PATH, kubeconfig({ "refresh-token": "refresh-2" }, FRESH));
    await host.files.remove(`${PATH}.lock`);
    await host.clock.advance(1);
    assert.equal((await loading).token, FRESH);
    assert.deepEqual(made.asked, []);
    assert.equal(await host.files.exists(`${PATH}.lock`), false);
  });

  it("is an error that says what to do, without a token in it", async () => {
    const cases: [config: Record<string, string>, answer: () => Response | object, message: RegExp][] = [
      [
        {},
        () => Response.json({ error: "invalid_grant", error_description: "gone" }, { status: 400 }),
        /"https:\/\/issuer\.test\/token\?x=1" answered 400 \(invalid_grant: gone\): log in again$/,
      ],
      [{}, () => ({ access_token: "a" }), /its answer has no id_token \(was the scope openid asked for/],
      [{}, () => ({ id_token: OLD }), /has expired already/],
      [{ "idp-issuer-url": "https://nowhere.test" }, () => ({}), /"https:\/\/nowhere\.test" cannot be asked/],
      [
        { "refresh-token": "" },
        () => ({}),
        /has expired at .*: log in again \(it is renewed where it stands with/,
      ],
    ];
    for (const [config, answer, message] of cases) {
      const made = provider(kubeconfig(config), answer);
      const error = await load(made).then(() => undefined, (error) => error);
      assert.equal(error?.name, "LoginError");
      assert.match(error.message, /auth-provider "oidc" of user "u" in kubeconfig "\/kube\/config"/);
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /refresh-1|c2ln/);
      assert.equal(await made.host.files.readText(PATH), kubeconfig(config), "the file is as it was");
      assert.equal(await made.host.files.exists(`${PATH}.lock`), false);
    }
  });

  it("is an error where the kubeconfig cannot be written, or is locked", async () => {
    const made = provider(kubeconfig(), () => ({ id_token: FRESH, refresh_token: "refresh-2" }));
    made.host.files.writeText = () => Promise.reject(new Error("EROFS: read-only file system"));
    await assert.rejects(load(made), { name: "LoginError", message: /cannot be written: EROFS/ });
    const locked = provider(kubeconfig(), () => assert.fail("asked"));
    await locked.host.files.createText(`${PATH}.lock`, "");
    const loading = assert.rejects(load(locked), {
      message: /is locked: remove "\/kube\/config\.lock" if no/,
    });
    await locked.host.clock.advance(20);
    await loading;
    assert.equal(await locked.host.files.exists(`${PATH}.lock`), true, "another program's lock stays");
  });
});
