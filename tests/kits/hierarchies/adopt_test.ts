import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { adopt } from "../../../lib/kits/hierarchies/adopt.ts";
import type { OwnerReference } from "../../../mod.ts";
import {
  adjustNamespace,
  type Child,
  disown,
  harmonizeNaming,
  own,
} from "../../../lib/public/hierarchies.ts";

const owner = {
  apiVersion: "example.com/v1",
  kind: "Database",
  metadata: { name: "orders", namespace: "shop", uid: "u1", labels: { app: "shop" } },
};

const reference: OwnerReference = {
  controller: true,
  blockOwnerDeletion: true,
  apiVersion: "example.com/v1",
  kind: "Database",
  name: "orders",
  uid: "u1",
};

/** As client libraries have them: classes with everything optional. */
class V1ObjectMeta {
  labels?: { [key: string]: string };
  name?: string;
  generateName?: string;
  namespace?: string;
  creationTimestamp?: Date;
  ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string }[];
}
class V1Pod {
  apiVersion?: string;
  kind?: string;
  metadata?: V1ObjectMeta;
  spec?: { containers: { name: string }[] };
}

describe("adopt()", () => {
  it("gives reference, name, namespace and labels", () => {
    const child = { kind: "Pod" } as Child;
    adopt(child, { owner });
    assert.deepEqual(child, {
      kind: "Pod",
      metadata: {
        generateName: "orders-",
        namespace: "shop",
        ownerReferences: [reference],
        labels: { app: "shop" },
      },
    });
  });

  it("takes instances of model classes, and leaves them what they are", () => {
    const pod = new V1Pod();
    const other = Object.assign(new V1Pod(), { metadata: new V1ObjectMeta() });
    adopt([pod, other], { owner });
    assert.ok(pod instanceof V1Pod && other.metadata instanceof V1ObjectMeta);
    assert.equal(pod.metadata?.generateName, "orders-");
    assert.deepEqual(other.metadata?.ownerReferences, [reference]);
  });

  it("[B311] adds one reference, however often it is called", () => {
    const child: Child = {};
    adopt(child, { owner });
    adopt(child, { owner });
    assert.deepEqual(child.metadata?.ownerReferences, [reference]);
  });

  it("[B312] keeps a child's own name, namespace and labels, unless it is forced", () => {
    const mine = { name: "mine", namespace: "other", labels: { app: "mine", extra: "yes" } };
    const kept = { metadata: structuredClone(mine) } as Child;
    adopt(kept, { owner });
    const { ownerReferences: _, ...meta } = kept.metadata ?? {};
    assert.deepEqual(meta, mine);
    const forced = { metadata: structuredClone(mine) } as Child;
    adopt(forced, { owner, forced: true });
    const { ownerReferences: __, ...rest } = forced.metadata ?? {};
    assert.deepEqual(rest, {
      generateName: "orders-",
      namespace: "shop",
      labels: { app: "shop", extra: "yes" },
    });
  });

  it("labels structures inside, and takes the owner's name as it is, where it is told to", () => {
    const child = { spec: { template: {} } } as Child & { spec: { template: Child } };
    adopt(child, { owner, strict: true, nested: "spec.template" });
    assert.equal(child.metadata?.name, "orders");
    assert.deepEqual(child.spec.template, { metadata: { labels: { app: "shop" } } });
  });

  it("[B318] adds no labels and no namespace where the owner has none", () => {
    const child: Child = {};
    adopt(child, { owner: { ...owner, metadata: { name: "orders", uid: "u1" } } });
    assert.deepEqual(child.metadata, { generateName: "orders-", ownerReferences: [reference] });
  });

  it("reads what it is given once", () => {
    const children: Child[] = [{}, {}];
    function* each(): Generator<Child> {
      yield* children;
    }
    adopt(each(), { owner });
    for (const { metadata } of children) {
      assert.deepEqual(Object.keys(metadata ?? {}).sort(), [
        "generateName",
        "labels",
        "namespace",
        "ownerReferences",
      ]);
    }
  });

  it("[B317] refuses to work without an owner outside of handlers", () => {
    assert.throws(() => adopt({}), {
      name: "TypeError",
      message: "Cannot tell the owner: no handler of an object is running here; pass it as `owner`",
    });
  });
});

describe("own()", () => {
  it("adds the reference with the marks it is told", () => {
    const child: Child = {};
    own(child, { owner, controller: false, blockOwnerDeletion: false });
    assert.deepEqual(child.metadata?.ownerReferences, [
      { ...reference, controller: false, blockOwnerDeletion: false },
    ]);
  });

  it("adds to other owners, and tells owners by their uids", () => {
    const other = { ...reference, uid: "u0" };
    const child: Child = { metadata: { ownerReferences: [other] } };
    own(child, { owner });
    assert.deepEqual(child.metadata?.ownerReferences, [other, reference]);
  });

  it("gives each child a reference of its own", () => {
    const [a, b]: [Child, Child] = [{}, {}];
    own([a, b], { owner });
    assert.notEqual(a.metadata?.ownerReferences?.[0], b.metadata?.ownerReferences?.[0]);
  });

  it("refuses an owner that was never in a cluster", () => {
    assert.throws(
      () => own({}, { owner: { kind: "Database", metadata: { name: "a" } } }),
      /no apiVersion, uid/,
    );
  });
});

describe("disown()", () => {
  it("[B319] removes the owner's references, and changes nothing where there are none", () => {
    const other = { ...reference, uid: "u0" };
    const children: Child[] = [
      { metadata: { ownerReferences: [reference, other] } },
      { metadata: { ownerReferences: [reference] } },
      { metadata: { ownerReferences: [other] } },
      { metadata: {} },
      {},
    ];
    disown(children, { owner });
    assert.deepEqual(children, [
      { metadata: { ownerReferences: [other] } },
      { metadata: {} },
      { metadata: { ownerReferences: [other] } },
      { metadata: {} },
      {},
    ]);
  });
});

describe("harmonizeNaming()", () => {
  it("[B313] takes the exact name where it is strict, else the beginning of one", () => {
    const children: Child[] = [{}, { metadata: { generateName: "x-" } }];
    harmonizeNaming(children, "given", { strict: true, forced: true });
    assert.deepEqual(children, [{ metadata: { name: "given" } }, { metadata: { name: "given" } }]);
    harmonizeNaming(children, "given", { forced: true });
    assert.deepEqual(children.map(({ metadata }) => metadata), [
      { generateName: "given-" },
      { generateName: "given-" },
    ]);
  });

  it("keeps names and beginnings of names", () => {
    const children: Child[] = [{ metadata: { name: "a" } }, { metadata: { generateName: "b-" } }, {
      metadata: { name: "" },
    }];
    harmonizeNaming(children, undefined, { owner });
    assert.deepEqual(children.map(({ metadata }) => metadata), [
      { name: "a" },
      { generateName: "b-" },
      { generateName: "orders-" },
    ]);
  });

  it("refuses an owner without a name", () => {
    assert.throws(() => harmonizeNaming({}, undefined, { owner: {} }), /pass a name/);
  });
});

describe("adjustNamespace()", () => {
  it("puts objects into the namespace that is given, or into the owner's", () => {
    const children: Child[] = [{}, { metadata: { namespace: "mine" } }];
    adjustNamespace(children, "given");
    assert.deepEqual(children.map(({ metadata }) => metadata?.namespace), ["given", "mine"]);
    adjustNamespace(children, undefined, { owner, forced: true });
    assert.deepEqual(children.map(({ metadata }) => metadata?.namespace), ["shop", "shop"]);
  });

  it("takes the namespace away for a cluster-scoped owner, if it is forced", () => {
    const child: Child = { metadata: { namespace: "mine" } };
    adjustNamespace(child, undefined, { owner: { metadata: { name: "a" } } });
    assert.deepEqual(child.metadata, { namespace: "mine" });
    adjustNamespace(child, undefined, { owner: { metadata: { name: "a" } }, forced: true });
    assert.deepEqual(child.metadata, {});
  });
});
