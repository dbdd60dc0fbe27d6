/**
 * Priority levels and flow schemas: each answer says by which of them its request was classified. Nobody has to wait.
 *
 * The default ones are there as soon as somebody asks for any: most clients never look. Source: Kubernetes documentation,
 * "API Priority and Fairness"; k8s.io/apiserver, pkg/util/flowcontrol/apf_controller.go.
 */

import type { KubeObject } from "../../../model/object.ts";
import { applyConfiguration } from "../apply/applying.ts";
import type { Cluster } from "../cluster.ts";
import type { Kind } from "../kinds.ts";
import type { Chores } from "../chores.ts";
import type { Collection } from "../storage/collection.ts";
import { timestamp } from "../formats/timestamp.ts";
import { equal, objectAt, objectsIn } from "../values.ts";
import { createObject } from "../writes/create.ts";
import { updateObject } from "../writes/update.ts";
import { defaultLevels, defaultSchemas } from "./bootstrap.ts";
import { type Asking, isAbout, LEVELS } from "./matching.ts";

const GROUP = "flowcontrol.apiserver.k8s.io";
const SCHEMAS = `flowschemas.${GROUP}`;
const PRODUCER = "api-priority-and-fairness-config-producer-v1";
const CONSUMER = "api-priority-and-fairness-config-consumer-v1";

export class FlowControl {
  readonly #cluster: Cluster;
  readonly #chores: Chores;
  #isAsked = false;
  /** Schemas whose levels are there, in the order in which they are tried. Undefined after a change. */
  #order: readonly Schema[] | undefined;

  constructor(cluster: Cluster, chores: Chores) {
    this.#cluster = cluster;
    this.#chores = chores;
  }

  /** To be called when somebody asks for objects of a kind. */
  asked({ collection }: Kind): void {
    if (this.#isAsked || !isOurs(collection)) return;
    this.#isAsked = true;
    this.#sync();
  }

  /** To be called on each change of a collection. */
  changed(collection: Collection): void {
    if (!isOurs(collection)) return;
    this.#order = undefined;
    if (this.#isAsked) this.#chores.add(GROUP, () => this.#sync());
  }

  /** Sets the headers that say how a request was classified. */
  mark(headers: Headers, asking: Asking): void {
    this.#order ??= this.#sorted();
    const found = this.#order.find(({ schema }) => isAbout(schema, asking));
    if (found === undefined) return;
    headers.set("x-kubernetes-pf-flowschema-uid", found.schema.metadata.uid ?? "");
    headers.set("x-kubernetes-pf-prioritylevel-uid", found.level.metadata.uid ?? "");
  }

  #sorted(): Schema[] {
    const levels = this.#cluster.store.collection(LEVELS);
    return [...this.#cluster.store.collection(SCHEMAS).values()]
      .flatMap(({ object: schema }) => {
        const level = levels.get(levelOf(schema))?.object;
        return level === undefined ? [] : [{ schema, level }];
      })
      .sort((one, other) =>
        precedence(one) - precedence(other) || (nameOf(one.schema) < nameOf(other.schema) ? -1 : 1)
      );
  }

  #sync(): void {
    const { kinds } = this.#cluster;
    const [levels, schemas] = ["prioritylevelconfigurations", "flowschemas"]
      .map((plural) => kinds.at(`${GROUP}/v1`, plural));
    if (levels === undefined || schemas === undefined) return;
    for (const level of defaultLevels()) this.#create(levels, level);
    for (const schema of defaultSchemas()) this.#create(schemas, schema);
    for (const { object } of [...schemas.collection.values()]) this.#tellDangling(schemas, object);
  }

  #create(kind: Kind, object: KubeObject): void {
    if (kind.collection.get(nameOf(object)) !== undefined) return;
    const whole = { apiVersion: kind.apiVersion, kind: kind.kind, ...object };
    createObject(this.#cluster, whole, { kind, writer: { manager: PRODUCER } });
  }

  /** Says whether the level that a schema refers to is there. */
  #tellDangling(kind: Kind, schema: KubeObject): void {
    const level = levelOf(schema);
    const isThere = this.#cluster.store.collection(LEVELS).get(level) !== undefined;
    const start = `This FlowSchema references the PriorityLevelConfiguration object named "${level}"`;
    const told = {
      type: "Dangling",
      status: isThere ? "False" : "True",
      reason: isThere ? "Found" : "NotFound",
      message: `${start} ${isThere ? "and it exists" : "but there is no such object"}`,
    };
    const before = objectsIn(objectAt(schema, "status")?.conditions).find(({ type }) => type === told.type);
    if (equal({ ...before, lastTransitionTime: undefined }, told)) return;
    const lastTransitionTime = timestamp(this.#cluster.host.clock.now());
    const name = nameOf(schema);
    const config = {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      metadata: { name },
      status: { conditions: [{ ...told, lastTransitionTime }] },
    };
    updateObject(this.#cluster, {
      kind,
      reference: { name },
      subresource: "status",
      applied: true,
      change: (live) =>
        applyConfiguration(this.#cluster.ownership, {
          kind,
          writer: { manager: CONSUMER, subresource: "status" },
          live,
          config,
          force: true,
        }),
    });
  }
}

/** A flow schema, and the level that it refers to. */
interface Schema {
  readonly schema: KubeObject;
  readonly level: KubeObject;
}

function isOurs({ name }: Collection): boolean {
  return name === SCHEMAS || name === LEVELS;
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? "";
}

function levelOf(schema: KubeObject): string {
  return String(objectAt(schema.spec, "priorityLevelConfiguration")?.name ?? "");
}

function precedence({ schema }: Schema): number {
  return Number(schema.spec?.matchingPrecedence ?? 0);
}
