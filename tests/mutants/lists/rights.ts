/** Breaks of the rights that handlers' code shows, and of what applies remember. */

import { breaksOf, type Mutant } from "../mutant.ts";

const rbac = ["tests/kits/rights/rbac_test.ts"];
const apply = ["tests/client/cache/applied_states_test.ts", "tests/scenarios/apply_test.ts"];

const children = ["tests/scenarios/children_test.ts"];
const spellings = ["tests/scenarios/spellings_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf("lib/kits/rights/needs.ts", [
    ["needsOfCode", "needs.push(...KEEP.map((verb) => ({ ...place, verb })));", ""],
    ["needsOfCode", "if (owned.length === 0) {", "if (false) {"],
    ["needsOfCode", "if (UNCALLED.includes(cause)) continue;", ""],
  ], rbac),
  ...breaksOf("lib/kits/rights/calls_in_code.ts", [
    [
      "rightsShownBy",
      'const resource = call === "scale" ? `${plural}/scale` : plural;',
      "const resource = plural;",
    ],
    ["rightsShownBy", 'if (part !== undefined) rights.push({ group: "", ...part });', ""],
    ["rightsShownBy", "hasMore = true;", ""],
  ], rbac),
  ...breaksOf("lib/client/cache/applied_states.ts", [
    ["AppliedStates.look", "isSameJson(applied.object, object)", "true"],
    [
      "AppliedStates.note",
      "if (known === undefined || known.version !== metadata.resourceVersion) return;",
      "return;",
    ],
    ["AppliedStates.look", "cloneJson(known.object)", "known.object"],
    ["AppliedStates.forget", "this.#applied.delete(cached.state)", "void cached"],
    [
      "AppliedStates.look",
      'return this.isMissing(resource, object) ? "missing" : undefined;',
      "return undefined;",
    ],
  ], apply),
  ...breaksOf("lib/client/cache/applied_spellings.ts", [
    ["AppliedSpellings.has", "known.wanted === digestOf(object) &&", "known.wanted !== undefined &&"],
    [
      "AppliedSpellings.has",
      "known.content === digestOf(contentOf(live, object));",
      "known.content !== undefined;",
    ],
    ["AppliedSpellings.note", "this.#spellings.size > MOST &&", "false &&"],
    ["contentOf", `Object.hasOwn(manifest, "status")`, "true"],
    [
      "namedIn",
      "if (!isObject(value) || !isObject(live)) found[key] = live;",
      "if (live !== undefined) found[key] = live;",
    ],
  ]),
  ...breaksOf("lib/client/apply.ts", [
    ["applyToLive", "spellings?.has(live, { object, fieldManager }) === true;", "false;"],
    ["sendApply", "if (isOwnSpelling) spellings.note(after, { object, fieldManager });", ""],
    [
      "sendApply",
      "(!isPartOf(object, after) || isSameContent(live, after, object));",
      "isSameContent(live, after, object);",
    ],
  ], spellings),
  ...breaksOf("lib/engines/children/children.ts", [
    ["ChildrenRun.#apply", "|| this.#states?.spellings.has(known, manifest)", ""],
    [
      "ChildrenRun.#send",
      "const spellings = options.dryRun === true ? undefined : this.#states?.spellings;",
      "const spellings = undefined;",
    ],
  ], spellings),
  ...breaksOf("lib/engines/children/children.ts", [
    [
      "ChildrenRun.run",
      'if (!(error instanceof Postponed)) this.#tell(false, "ChildFailed", messageOf(error));',
      'if (error instanceof ChildrenError) this.#tell(false, "ChildFailed", messageOf(error));',
    ],
    ["ChildrenRun.#bringAbout", "this.#addUnlisted(wanted);", ""],
    [
      "ChildrenRun.#apply",
      "if (known === undefined && live !== undefined) refuseForeign(live, wanted, this.#owner);",
      "",
    ],
    ["ChildrenRun.#find", "this.#unlisted.set(groupResource(resource), error);", "throw error;"],
  ], children),
  ...breaksOf("lib/engines/children/locate.ts", [
    ["refuseForeign", "isOrphan || adopt", "isOrphan"],
    ["refuseForeign", "const isOwn = ownerReferences.some(", "const isOwn = false && ownerReferences.some("],
    ["locateChildren", "lost.push({ key, name, error });\n      return undefined;", "throw error;"],
  ], children),
  ...breaksOf("lib/execution/execute.ts", [
    ["report", "(thrown instanceof ChildrenError && !thrown.isThrown) ||", ""],
    ["report", "thrown instanceof ChildrenError && !thrown.isThrown", "thrown instanceof ChildrenError"],
  ], children),
  ...breaksOf("lib/execution/children_error.ts", [
    [
      "reasonOf",
      "if (!(error instanceof ApiError)) return messageOf(error);",
      "if (true) return messageOf(error);",
    ],
    ["explain", "const titles = byError.get(error) ?? [];", "const titles: string[] = [];"],
    ["isThrown", "title !== undefined && isFault", "isFault"],
  ], ["tests/execution/children_error_test.ts"]),
  ...breaksOf("lib/operator/watched_resources.ts", [
    ["if (kinds.some((each) => registry.of(each).of(RECONCILE).length > 0)) continue;", ""],
    ["owner !== undefined && matches(owner, each)", "owner === undefined || matches(owner, each)"],
    ["if (child !== undefined) continue;", ""],
  ], ["tests/operator/watched_resources_test.ts"]),
  ...breaksOf("lib/operator/object_watch.ts", [
    ["follow", "isRejectionTold: true", "isRejectionTold: false"],
  ], ["tests/scenarios/api_test.ts"]),
];

export default mutants;
