/** Breaks in which namespaces and kinds are served, which the scenarios of scopes must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/scopes_test.ts"];

const NAMESPACES = { file: "lib/operator/namespaces.ts", tests };
const SCANNING = { file: "lib/operator/crd_watch.ts", tests };
const RUNNING = { file: "lib/operator/operator_run.ts", tests };
const WATCH = { file: "lib/client/watch/watcher.ts", tests };

const mutants: Mutant[] = [
  // Namespaces that come or go are not noticed; those that do not match are; all are asked for.
  {
    ...NAMESPACES,
    in: "Namespaces.#take",
    replace: "namespace: name,\n    });\n    this.#options.onChange();",
    by: "namespace: name,\n    });",
  },
  { ...NAMESPACES, in: "Namespaces.#take", replace: "if (!this.matches(name)) return;", by: "" },
  {
    ...NAMESPACES,
    in: "Namespaces.#take",
    replace: "if (isGone) this.#served.delete(name);",
    by: "if (isGone) return;",
  },
  {
    ...NAMESPACES,
    in: "Namespaces.#isObserved",
    replace: "return !settings.scanning.disabled && !patterns.every(isExactName);",
    by: "return !settings.scanning.disabled;",
  },
  {
    file: "lib/model/selector.ts",
    tests,
    in: "matches",
    replace: "if (selector.kind !== undefined) return selector.kind === resource.kind;",
    by: "if (selector.kind !== undefined) return selector.kind === resource.plural;",
  },
  // Those that end: are left at once; are kept for ever; are not spoken of.
  {
    ...NAMESPACES,
    in: "Namespaces.#hasEnded",
    replace: "if (metadata.deletionTimestamp === undefined || conditions.length === 0) return false;",
    by: "if (metadata.deletionTimestamp === undefined) return false;",
  },
  {
    ...NAMESPACES,
    in: "Namespaces.#hasEnded",
    replace: "if (pending.length === 0) return true;",
    by: "if (pending.length === 0) return false;",
  },
  {
    ...NAMESPACES,
    in: "Namespaces.#hasEnded",
    replace: "if (pending.length === 0) return true;",
    by: "return true;",
  },
  // Without rights: nothing is served; nothing is said; it stays so.
  {
    ...NAMESPACES,
    in: "Namespaces.#serveNamesAlone",
    replace: "if (this.#served.size === 0) {",
    by: "if (false) {",
  },
  { ...NAMESPACES, in: "Namespaces.#serveNamesAlone", replace: "this.#isRefused = true;", by: "" },
  // One stream per namespace also for kinds of the cluster.
  {
    file: "lib/operator/informers.ts",
    tests,
    in: "Informers.#targetsOf",
    replace:
      "const namespaces = resource.namespaced ? this.#options.scope.served ?? [undefined] : [undefined];",
    by: "const namespaces = this.#options.scope.served ?? [undefined];",
  },
  // Kinds: are not noticed; are, although nobody is to look; are looked up again with each listing.
  {
    ...RUNNING,
    in: "OperatorRun.#start",
    replace: "this.#crds.follow((kind) => this.#informers.relist(kind));",
    by: "",
  },
  // Definitions get fields: objects are not listed anew; are for each label; are not compared; all count as news.
  {
    ...RUNNING,
    in: "OperatorRun.#start",
    replace: "this.#crds.follow((kind) => this.#informers.relist(kind));",
    by: "this.#crds.follow(() => {});",
  },
  { ...SCANNING, in: "takeCrd", replace: "before.generation !== generation", by: "true" },
  {
    file: "lib/client/cache/object_store.ts",
    tests: ["tests/client/cache/informer_test.ts"],
    in: "ObjectStore.put",
    replace: "this.#isRedefined ? REDEFINED : WATCH",
    by: "WATCH",
  },
  {
    file: "lib/client/cache/object_store.ts",
    tests: ["tests/client/cache/informer_test.ts"],
    in: "CachedObject.adopt",
    replace: " && !isSameJson(object, this.object)",
    by: "",
  },
  {
    file: "lib/client/cache/object_store.ts",
    tests: ["tests/client/cache/informer_test.ts"],
    in: "ObjectStore.sweep",
    replace: "this.#isRedefined = false;",
    by: "",
  },
  {
    ...RUNNING,
    file: "lib/operator/crd_watch.ts",
    in: "CrdWatch.follow",
    replace: 'if (settings.scanning.disabled) return;\n    tasks.start("watch CRDs"',
    by: 'tasks.start("watch CRDs"',
  },
  // Versions change: what discovery does not tell of yet has gone; what the server does not know is asked for for ever.
  {
    ...RUNNING,
    file: "lib/operator/crd_watch.ts",
    tests: ["tests/scenarios/races_test.ts"],
    in: "CrdWatch.#onChange",
    replace: "if (!isComing) await revisions.run();",
    by: "await revisions.run();",
  },
  {
    file: "lib/operator/informers.ts",
    tests: ["tests/scenarios/races_test.ts"],
    in: "Informers.#onRefused",
    replace: "if (error.status === 404) this.#options.crds.doubt(resource);",
    by: "",
  },
  { ...SCANNING, in: "takeCrd", replace: "if (!isKnown) await onChange", by: "await onChange" },
  {
    ...SCANNING,
    in: "takeCrd",
    replace: "if (!isKnown) await onChange",
    by: "if (known.size === 0) await onChange",
  },
  { ...SCANNING, in: "takeCrd", replace: "onFailure(expected);", by: "void expected;" },
  // Selectors go with nothing; pages are not asked for; objects that are listed again are resumed again.
  {
    ...WATCH,
    in: "Watcher.#toStreamOptions",
    replace: "labelSelector,\n      fieldSelector,\n      shardSelector,\n    });",
    by: "labelSelector,\n      fieldSelector,\n    });",
  },
  {
    ...WATCH,
    in: "Watcher.#toStreamOptions",
    replace: "labelSelector,\n      fieldSelector,\n      shardSelector,\n    });",
    by: "fieldSelector,\n      shardSelector,\n    });",
  },
  {
    ...WATCH,
    in: "Watcher.#list",
    replace: "chunkSize: lostTokens < MOST_LOST_TOKENS ? settings.chunkSize : null,",
    by: "chunkSize: null,",
  },
  { ...NAMESPACES, in: "Namespaces.watch", replace: ", ...selectors }", by: " }" },
  {
    file: "lib/handlers/index/index_handler.ts",
    tests,
    replace: 'about: "objects",',
    by: 'about: "requests",',
  },
];

export default mutants;
