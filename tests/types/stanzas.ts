/**
 * Fields beside `spec` and `status` are typed wherever objects are read and written. `deno check` proves it; running the file only
 * shows that declarations do not throw.
 */

import { it } from "node:test";
import { kinds, type KubeObject, operator, resource, type ResourceType } from "../../mod.ts";
import { child } from "../../lib/public/children.ts";
import type { ConfigMap, PolicyRule, Secret } from "../../lib/kits/kinds/kubernetes.ts";
import type { Runner } from "../../lib/kits/testing/mod.ts";
import type { ObjectOf, Stanzas } from "../../lib/public/types.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

function expectType<T extends true>(..._: T[]): void {}

type Texts = Record<string, string> | undefined;
type FrozenTexts = { readonly [name: string]: string } | undefined;

const op = operator();
const AT = { name: "a", namespace: "default" };

it("objects of built-in kinds that op.api reads have the types of their fields", () => {
  op.on.create("things.example.com", { id: "read" }, async () => {
    const secret = await op.api.get(kinds.Secret, AT);
    expectType<Equal<typeof secret.data, Texts>>();
    expectType<Equal<typeof secret.type, string | undefined>>();
    const all = secret.data ?? {};
    expectType<Equal<(typeof all)[string], string>>();
    const whole: Secret = secret;
    void whole;
    const role = await op.api.get(kinds.Role, AT);
    expectType<Equal<typeof role.rules, PolicyRule[] | undefined>>();
    for await (const { data, metadata } of op.api.list(kinds.ConfigMap)) {
      expectType<Equal<typeof data, Texts>>();
      void metadata.name;
    }
    const { signal } = new AbortController();
    for await (const { object } of op.api.watch(kinds.ConfigMap, { signal })) {
      expectType<Equal<typeof object.data, Texts>>();
    }
    const pod = await op.api.get(kinds.Pod, AT);
    expectType<
      Equal<typeof pod.spec, (typeof kinds.Pod extends ResourceType<infer S> ? S : never) | undefined>
    >();
    await op.api.waitFor(kinds.Secret, AT, (found) => found?.data?.["password"] !== undefined);
  });
});

it("what op.api sends is checked", () => {
  op.on.create("things.example.com", { id: "send" }, async () => {
    await op.api.create(kinds.Secret, { metadata: AT, stringData: { password: "x" } });
    const made = await op.api.apply(kinds.ConfigMap, { metadata: AT, data: { text: "x" } });
    expectType<Equal<typeof made.data, Texts>>();
    await op.api.patch(kinds.ConfigMap, AT, { data: { text: null } });
    const copy = await op.api.get(kinds.Secret, AT);
    await op.api.ensure(kinds.Secret, { metadata: AT, type: copy.type, data: copy.data });
    await op.api.replace(kinds.Secret, copy);
    // @ts-expect-error The values are texts.
    await op.api.create(kinds.ConfigMap, { metadata: AT, data: { size: 3 } });
    // @ts-expect-error The same.
    await op.api.apply(kinds.ConfigMap, { metadata: AT, data: { size: 3 } });
    // @ts-expect-error The same.
    await op.api.patch(kinds.ConfigMap, AT, { data: { size: 3 } });
    // @ts-expect-error Rules are a list.
    await op.api.apply(kinds.Role, { metadata: AT, rules: { verbs: ["get"] } });
  });
});

it("handlers of built-in kinds have the types of their fields", () => {
  op.on.create(kinds.Secret, { id: "create" }, ({ body, new: now, spec }) => {
    expectType<Equal<typeof body.data, FrozenTexts>>();
    expectType<Equal<typeof now.data, FrozenTexts>>();
    // @ts-expect-error Objects are for reading.
    body.data = {};
    // @ts-expect-error It has no spec.
    void spec.replicas;
  });
  op.on.event(kinds.ConfigMap, ({ event }) => {
    expectType<Equal<typeof event.object.data, FrozenTexts>>();
  });
  op.on.field(kinds.Secret, "data", function rotated({ old, new: wanted }) {
    expectType<Equal<typeof old, Texts>>();
    expectType<Equal<typeof wanted, Texts>>();
  });
  op.on.field(kinds.Secret, "data.password", function changed() {});
  // @ts-expect-error There is no such field.
  op.on.field(kinds.Secret, "dat", function misspelt() {});
  op.on.validate(kinds.Role, ({ new: wanted }) => {
    expectType<Equal<NonNullable<NonNullable<typeof wanted>["rules"]>[number]["verbs"][number], string>>();
  });
  op.reconcile(kinds.ConfigMap, { id: "keep" }, ({ body }) => {
    expectType<Equal<typeof body.data, FrozenTexts>>();
  });
  op.watches(kinds.Secret, ({ data }) => data?.["password"] === undefined ? [] : []);
  // A function for any object goes on to take them.
  op.on.delete(kinds.Secret, { id: "any" }, ({ body }) => void titleOf(body));
});

function titleOf(object: { readonly metadata: { readonly name?: string } }): string | undefined {
  return object.metadata.name;
}

it("caches, children and expectations of tests have them, too", () => {
  const secrets = op.cache(kinds.Secret, {
    indexes: { type: ({ type }) => type ?? [] },
  });
  expectType<Equal<NonNullable<ReturnType<typeof secrets.get>>["data"], FrozenTexts>>();
  op.reconcile("things.example.com", { id: "children" }, async ({ children }) => {
    const { text } = await children({ text: child(kinds.ConfigMap, { data: { a: "b" } }) });
    expectType<Equal<typeof text.data, Texts>>();
    // @ts-expect-error The values are texts.
    void child(kinds.ConfigMap, { data: { size: 3 } });
    // @ts-expect-error A misspelt field does not compile.
    void child(kinds.Deployment, { spec: { replica: 3 } });
    void child(kinds.Secret, {}, { ready: ({ data }) => data !== undefined });
  });
  const check = async (run: Runner) => {
    const found = await run.until(kinds.ConfigMap, "one", { data: { text: /Hello/ } });
    expectType<Equal<typeof found.data, Texts>>();
    // @ts-expect-error It is a text.
    await run.until(kinds.ConfigMap, "one", { data: { text: 3 } });
  };
  void check;
});

it("kinds of one's own may have them, beside a spec or without one", () => {
  type Fields = { readonly data?: Readonly<Record<string, string>>; readonly matchNamespace: string };
  const ClusterSecret = resource<Stanzas<Fields>>({
    group: "example.com",
    version: "v1",
    plural: "clustersecrets",
  });
  op.on.create(ClusterSecret, { id: "own" }, ({ body }) => {
    expectType<Equal<typeof body.matchNamespace, string>>();
  });
  const Both = resource<{ size: number } & Stanzas<Fields>>({
    group: "example.com",
    version: "v1",
    plural: "boths",
  });
  op.on.create(Both, { id: "both" }, ({ spec, body }) => {
    expectType<Equal<typeof spec.size, number>>();
    expectType<Equal<typeof body.matchNamespace, string>>();
  });
  op.on.field(Both, "spec.size", function size() {});
  op.on.field(Both, "matchNamespace", function place() {});
  // As `generate types` writes them.
  type Net = KubeObject<Record<string, unknown>, Record<string, unknown>> & { readonly data: string };
  const Net = resource<Record<string, unknown> & Stanzas<Net>>({
    group: "example.com",
    version: "v1",
    plural: "nets",
  });
  op.on.create(Net, { id: "net" }, ({ body }) => {
    expectType<Equal<typeof body.data, string>>();
  });
  op.on.field(Net, "data", function data({ new: wanted }) {
    expectType<Equal<typeof wanted, string | undefined>>();
  });
  const plain: KubeObject<{ size: number }> = {} as ObjectOf<{ size: number } & Stanzas<ConfigMap>>;
  void plain;
});
