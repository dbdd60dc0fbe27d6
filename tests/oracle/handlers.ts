/**
 * The handlers of the oracle test: the same, under the same ids, as Kopf has in handlers.py.
 *
 * What they do is said by the object: `spec.fail` holds how many attempts of which handler fail, `spec.delay` for how
 * long; `spec.refuse` holds the handlers that fail for good; `spec.children` the sub-handlers; `spec.resumed`, that it is
 * wanted after restarts. Deployments, and ReplicaSets with them, say it in an annotation.
 */

import {
  kinds,
  type Operator,
  operator,
  PermanentError,
  persistence,
  resource,
  type ResourceType,
  TemporaryError,
} from "../../mod.ts";
import { EXAMPLES } from "../support/worlds.ts";

/** A call of a handler, of either side. */
export interface Call {
  readonly by: "kopf" | "lotse";
  readonly handler: string;
  readonly name: string;
  readonly retry: number;
  readonly reason: string;
  readonly old?: unknown;
  readonly new?: unknown;
}

export interface Wanted {
  readonly value?: unknown;
  readonly delay?: number;
  readonly fail?: Readonly<Record<string, number>>;
  readonly refuse?: readonly string[];
  readonly children?: readonly string[];
  readonly resumed?: boolean;
}

interface Attempt {
  readonly name: string;
  readonly spec: Wanted;
  readonly retry: number;
  readonly reason: string;
}

const LONG = "outer.<locals>.a-handler-with-a-name-that-is-much-longer-than-any-annotation-may-be";
const MEDIUM = "m".repeat(50);

const Example = resource<Wanted, Record<string, unknown>>(EXAMPLES);

/** Makes the operator; each call is handed over. */
export function makeOperator(note: (call: Call) => void): Operator {
  const op = operator({ persistence: persistence.kopf() });

  function act(handler: string, attempt: Attempt, more: { old?: unknown; new?: unknown } = {}): object {
    const { name, spec, retry, reason } = attempt;
    note({ by: "lotse", handler, name, retry, reason, ...more });
    if (spec.refuse?.includes(handler)) throw new PermanentError(`${handler} is refused: ünmöglich`);
    if (retry < (spec.fail?.[handler] ?? 0)) {
      throw new TemporaryError(`attempt ${retry} of ${handler} fails`, { delay: spec.delay ?? 1 });
    }
    return { value: spec.value ?? null, retry };
  }

  op.on.create(Example, { id: "make" }, (args) => act("make", args));
  op.on.create(Example, { id: "then" }, (args) => void act("then", args));
  op.on.create(Example, { id: LONG }, (args) => void act("long", args));
  op.on.create(Example, { id: MEDIUM }, (args) => void act("medium", args));
  op.on.create(
    Example,
    { id: "family", when: ({ spec }) => spec.children !== undefined },
    ({ spec, sub }) => {
      for (const id of spec.children ?? []) sub(id, (args) => act(id, args as Attempt));
    },
  );
  op.on.update(Example, { id: "change" }, (args) => {
    const values = { old: args.old?.spec?.value ?? null, new: args.new?.spec?.value ?? null };
    return act("change", args, values);
  });
  op.on.update(Example, { id: "second" }, (args) => void act("second", args));
  op.on.field(Example, "spec.value", { id: "track" }, (args) => {
    act("track", args, { old: args.old ?? null, new: args.new ?? null });
  });
  op.on.delete(Example, { id: "clean" }, (args) => void act("clean", args));
  op.on.delete(Example, { id: "drop" }, (args) => void act("drop", args));
  op.on.resume(
    Example,
    { id: "again", when: ({ spec }) => spec.resumed !== undefined, deleted: true },
    (args) => void act("again", args),
  );
  for (const kind of [kinds.Deployment, kinds.ReplicaSet]) {
    op.on.create(kind as ResourceType, { id: "run" }, ({ name, body, annotations, retry, reason }) => {
      const spec = JSON.parse(annotations["lotse.test/spec"] ?? "") as Wanted;
      act("run", { name: `${body.kind}/${name}`, spec, retry, reason });
    });
  }
  return op;
}
