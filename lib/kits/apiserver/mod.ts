/**
 * A Kubernetes API server in the process, for development and tests.
 *
 * It speaks real Kubernetes HTTP to kubectl and to any client library: discovery, objects, lists in pages, watches,
 * CustomResourceDefinitions with schemas, status subresources, patches, finalizers, garbage collection, tables.
 *
 * @example In a test, without sockets and in virtual time
 * ```ts ignore
 * const server = apiServer({ host: virtualHost() });
 * const response = await server.fetch(new Request("https://api.test/api/v1/namespaces"));
 * ```
 * @module
 */

export {
  type ApiServer,
  apiServer,
  type ApiServerOptions,
  type ApiUser,
  copiedApiServer,
  type ForkOptions,
  type KeptApiServer,
  openApiServer,
  type RestartOptions,
  type ServeApiOptions,
} from "./server.ts";
export type { CopiedObjects } from "./copied_objects.ts";
export { StateError } from "./state/records.ts";
export { Faults, type Strike } from "./faults/faults.ts";
export type {
  AnswerFault,
  CutFault,
  DelayFault,
  DuplicateFault,
  ErrorEventFault,
  Fault,
  FaultedRequest,
  FaultRule,
  FaultTime,
  InjectedFault,
  LagFault,
  RefuseFault,
  ReorderFault,
  ResetFault,
  SilenceFault,
} from "./faults/fault.ts";
export type { WorkloadsOptions } from "./workloads/mod.ts";
export type { ServedApi, ServerCertificate } from "./serving.ts";
export { startApiServer, type StartApiServerOptions, type StartedApiServer } from "./start.ts";
export type { Authority, CertificateOptions, IssuedCertificate } from "../../runtime/certificates.ts";
