/**
 * The rules of built-in kinds when they are written: what all do alike, by tables, and the module of each kind that has one.
 *
 * Types and unknown fields are a matter of decoding (`bodies/typed_decode.ts`); of the values, only some are checked.
 */

import type { KubeObject } from "../../../model/object.ts";
import type { KindRules } from "../kinds.ts";
import { builtinCauses } from "./checks.ts";
import { defaultBuiltin, initialStatus } from "./defaults.ts";
import { defaultDevices, deviceCauses } from "./device_rules.ts";
import { eventCauses } from "./event_rules.ts";
import { immutableCauses } from "./immutable_fields.ts";
import type { KindContext, KindModule } from "./kind_module.ts";
import { DAEMON_SET } from "./modules/daemon_set.ts";
import { JOB } from "./modules/job.ts";
import { NAMESPACE } from "./modules/namespace.ts";
import { PERSISTENT_VOLUME_CLAIM } from "./modules/persistent_volume_claim.ts";
import { podModule } from "./modules/pod.ts";
import { protect } from "./modules/protected.ts";
import { resourceSliceModule } from "./modules/resource_slice.ts";
import { SECRET } from "./modules/secret.ts";
import { fill, objectAt } from "../values.ts";

/** The particulars of each kind that has any: a module, or a line where that is all. */
const MODULES: Readonly<Record<string, (context: KindContext) => KindModule>> = Object.assign(
  Object.create(null),
  {
    APIService: () => ({
      complete: ({ spec }: KubeObject) => fill(objectAt(spec, "service") ?? {}, { port: 443 }),
    }),
    CertificateSigningRequest: () => ({ namesRequester: true }),
    DaemonSet: () => DAEMON_SET,
    // NB: a Deployment's own controller notes the revision in an annotation, with the status; users' annotations are counted.
    Deployment: () => ({ keptWithStatus: ["labels"], countsAnnotations: true }),
    Event: ({ group }: KindContext): KindModule => ({
      causes: (object, { old }) => eventCauses(object, { old, isStrict: group === "events.k8s.io" }),
    }),
    Job: () => JOB,
    Namespace: () => NAMESPACE,
    // NB: kubelets say all about their node when they make it. Source: k8s.io/kubernetes, pkg/registry/core/node.
    Node: () => ({ takesStatus: true }),
    PersistentVolume: () => ({ admit: protect("PersistentVolume") }),
    PersistentVolumeClaim: () => PERSISTENT_VOLUME_CLAIM,
    Pod: podModule,
    // NB: these alone leave their Pods behind, unless the client wants it otherwise.
    ReplicationController: () => ({ orphans: true }),
    ResourceSlice: resourceSliceModule,
    Secret: () => SECRET,
    VolumeAttributesClass: () => ({ admit: protect("VolumeAttributesClass") }),
  },
);

/** Returns the rules of a built-in kind. */
export function builtinRules(kind: string, context: KindContext): KindRules {
  const { complete, finish, causes, settle, ...others } = MODULES[kind]?.(context) ?? {};
  return {
    ...others,
    normalize(object) {
      complete?.(object);
      defaultBuiltin(kind, object);
      defaultDevices(kind, object);
      finish?.(object);
      return [];
    },
    settle(object, old, dryRun) {
      if (old === undefined) initialStatus(kind, object);
      settle?.(object, old, dryRun);
    },
    validate: (object, change) => [
      ...(change.part === "status" ? [] : builtinCauses(kind, object)),
      ...causes?.(object, change) ?? [],
      ...deviceCauses(kind, object, change.old),
      ...(change.old === undefined || change.part === "status"
        ? []
        : immutableCauses(kind, { object, old: change.old, part: change.part })),
    ],
  };
}
