/** DaemonSets: the count of their templates, in an annotation. */

import type { KubeObject } from "../../../../model/object.ts";
import { equal } from "../../values.ts";
import type { KindModule } from "../kind_module.ts";

export const DAEMON_SET: KindModule = {
  finish: annotateDaemonSet,
  settle: countTemplates,
  // NB: a write of the status does not change the annotation either.
  settlesStatus: true,
};

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

/** NB: to whoever writes no annotation, it is 0 until the server sets it right: so they own it. */
function annotateDaemonSet({ metadata }: KubeObject): void {
  metadata.annotations = { [TEMPLATE_GENERATION]: "0", ...metadata.annotations };
}

/** Source: k8s.io/kubernetes, pkg/registry/apps/daemonset/strategy.go. */
function countTemplates({ metadata, spec }: KubeObject, old: KubeObject | undefined): void {
  const given = Number((old ?? { metadata }).metadata.annotations?.[TEMPLATE_GENERATION]);
  const isNew = old !== undefined && !equal(spec?.template, old.spec?.template);
  const count = Math.max(1, Number.isInteger(given) ? given : 1) + (isNew ? 1 : 0);
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: String(count) };
}
