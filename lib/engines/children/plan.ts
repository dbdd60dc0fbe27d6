/**
 * The children that an object is to have, in the order in which they are brought about. Pure: no request is sent.
 */

import { digestOf } from "../../model/encoding.ts";
import { isObject } from "../../model/json.ts";
import { type FieldPath, parseField } from "../../model/fields.ts";
import type { KubeObject } from "../../model/object.ts";
import type { AnyChild, DesiredChildren, Manifest, Readiness } from "../../registry/children.ts";
import type { ResourceType } from "../../registry/resource.ts";
import { blamedOn } from "../../runtime/call_site.ts";
import { LONGEST_NAME } from "./names.ts";

/** One object that is to be there. */
export interface Planned {
  /** Under which name the author has it; of a map, "name.key". Also the value of its label. */
  readonly key: string;
  /** The author's name of it, or of the map that it is in. */
  readonly name: string;
  /** Its key in the map; undefined if it is in none. */
  readonly item: string | undefined;
  /** The kind, if it is declared; else the manifest says it. */
  readonly kind: ResourceType<unknown, unknown> | undefined;
  readonly manifest: Manifest;
  /** Names of children that must be ready before. */
  readonly dependsOn: readonly string[];
  /** How many levels of others must be ready before. */
  readonly stage: number;
  readonly ready: Readiness;
  readonly recreateOn: readonly FieldPath[];
  readonly force: boolean;
  /** Whether an object of that name that belongs to others is taken over. */
  readonly adopt: boolean;
}

/** Values of labels. Source: Kubernetes, docs/concepts/overview/working-with-objects/labels. */
const LABEL = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

const OPTIONS: readonly string[] = ["apply", "kind", "dependsOn", "ready", "recreateOn", "force", "adopt"];

/**
 * Returns the children in an order in which each comes after its dependencies.
 *
 * @throws {TypeError} If the wanted children make no sense: names, options, or a circle of dependencies.
 */
export function planChildren(desired: DesiredChildren): readonly Planned[] {
  if (!isObject(desired)) {
    throw misuse("Cannot bring about children: pass an object, such as { service: manifest }");
  }
  const children = new Map<string, AnyChild>();
  for (const [name, value] of Object.entries(desired)) {
    if (value !== undefined && value !== null) children.set(name, toChild(name, value));
  }
  const stages = stagesOf(desired, children);
  const planned = [...children].flatMap(([name, child]) => [...plan(name, child, stages.get(name) ?? 0)]);
  // Stable: within a stage it is the author's order.
  return planned.sort((a, b) => a.stage - b.stage);
}

/** Returns the error of a call for impossible children: it has the author's lines only. */
export function misuse(message: string): TypeError {
  return blamedOn(new TypeError(message));
}

/** Whether a word can be the value of a label. */
export function isLabelValue(text: unknown): text is string {
  return typeof text === "string" && LABEL.test(text);
}

/** Returns the name of a child that has none: after its owner, and after its own key. */
export function nameAfter(owner: KubeObject, key: string, longest: number = LONGEST_NAME): string {
  const name = `${owner.metadata.name}-${key}`
    .replaceAll(/[a-z0-9](?=[A-Z])/g, "$&-").toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-");
  if (name.length <= longest && /[a-z0-9]$/.test(name)) return name;
  const suffix = digestOf(`${owner.metadata.name}/${key}`).slice(0, 8);
  return `${name.slice(0, longest - 1 - suffix.length)}-${suffix}`;
}

function toChild(name: string, value: unknown): AnyChild {
  if (!isLabelValue(name)) {
    throw misuse(`Cannot bring about child "${name}": its name must do for a label's value`);
  }
  if (value instanceof Map) return { apply: value };
  if (!isObject(value)) throw misuse(`Cannot bring about child "${name}": it is no manifest`);
  if (!("apply" in value)) return { apply: value };
  for (const option of Object.keys(value)) {
    if (OPTIONS.includes(option)) continue;
    throw misuse(
      `Cannot bring about child "${name}" with option "${option}": known are ${OPTIONS.join(", ")}`,
    );
  }
  const { apply, ready, kind, dependsOn = [] } = value;
  if (!(apply instanceof Map) && !isObject(apply)) {
    throw misuse(`Cannot bring about child "${name}": what is to be applied is no manifest`);
  }
  if (ready !== undefined && typeof ready !== "function") {
    throw misuse(`Cannot bring about child "${name}": "ready" must be a function`);
  }
  if (kind !== undefined && !(isObject(kind) && "selector" in kind)) {
    throw misuse(
      `Cannot bring about child "${name}": "kind" must be made with resource(), or one of kinds`,
    );
  }
  if (!Array.isArray(dependsOn)) {
    throw misuse(`Cannot bring about child "${name}": "dependsOn" must be a list of names`);
  }
  return value as unknown as AnyChild; // the members that matter were looked at
}

function* plan(name: string, child: AnyChild, stage: number): Generator<Planned, void, void> {
  const { apply, kind, dependsOn = [], ready = () => true, recreateOn = [], force = true, adopt = false } =
    child;
  const common = {
    name,
    kind,
    dependsOn,
    stage,
    ready: ready as unknown as Readiness, // the author's claim about the kind
    recreateOn: recreateOn.map(parseField),
    force,
    adopt,
  };
  if (!isMap(apply)) {
    yield { ...common, key: name, item: undefined, manifest: apply };
    return;
  }
  for (const [item, manifest] of apply) {
    const key = `${name}.${item}`;
    if (!isLabelValue(key)) {
      throw misuse(`Cannot bring about child "${key}": its name must do for a label's value`);
    }
    yield { ...common, key, item, manifest };
  }
}

function isMap(apply: AnyChild["apply"]): apply is ReadonlyMap<string, Manifest> {
  return apply instanceof Map;
}

/** Returns how many levels of others come before each. A child that is not wanted now holds no other up. */
function stagesOf(
  desired: DesiredChildren,
  children: ReadonlyMap<string, AnyChild>,
): ReadonlyMap<string, number> {
  const stages = new Map<string, number>();
  const visit = (name: string, path: readonly string[]): number => {
    const known = stages.get(name);
    if (known !== undefined) return known;
    if (path.includes(name)) {
      const circle = [...path.slice(path.indexOf(name)), name].map((each) => `"${each}"`).join(" → ");
      throw misuse(`Cannot order the children: they depend on each other in a circle, ${circle}`);
    }
    const befores = children.get(name)?.dependsOn ?? [];
    const before = befores.map((each) => {
      if (!Object.hasOwn(desired, each)) {
        throw misuse(
          `Cannot order the children: "${name}" depends on "${each}", which is not among them`,
        );
      }
      return children.has(each) ? visit(each, [...path, name]) + 1 : 0;
    });
    const stage = Math.max(0, ...before);
    stages.set(name, stage);
    return stage;
  };
  for (const name of children.keys()) visit(name, []);
  return stages;
}
