/**
 * The objects that make up a Database, as plain functions from the Database to a manifest.
 *
 * They know nothing of the API: what is wanted is written down here, how it gets there stands in handlers.ts.
 */
import type { Applied, kinds, ResourceType } from "@lotse/lotse";

import type { DatabaseSpec, Engine } from "./database.ts";

/** What the manifests need to know of a Database. */
export interface Origin {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly spec: Readonly<DatabaseSpec>;
}

/** What is wanted of an object of a built-in kind: a field that the kind does not have is refused by the compiler. */
type Manifest<Kind extends keyof typeof kinds> = typeof kinds[Kind] extends
  ResourceType<infer Spec, infer Status> ? Applied<Spec, Status>
  : never;

/** What is particular to an engine. */
interface EngineFacts {
  readonly image: string;
  readonly port: number;
  readonly dataPath: string;
  readonly dump: string;
}

const ENGINES: Readonly<Record<Engine, EngineFacts>> = {
  postgresql: { image: "postgres", port: 5432, dataPath: "/var/lib/postgresql", dump: "pg_dumpall" },
  mysql: { image: "mysql", port: 3306, dataPath: "/var/lib/mysql", dump: "mysqldump --all-databases" },
  mariadb: { image: "mariadb", port: 3306, dataPath: "/var/lib/mysql", dump: "mariadb-dump --all-databases" },
};

/** The label of all objects that come from here, Pods included. */
export const OURS = { "app.kubernetes.io/managed-by": "database-operator" };

/** The labels by which the objects of one Database are found. */
function labelsOf(name: string): Record<string, string> {
  return { ...OURS, "app.kubernetes.io/instance": name };
}

function imageOf({ engine, version }: Readonly<DatabaseSpec>): string {
  return `${ENGINES[engine].image}:${version}`;
}

export function endpointOf({ name, namespace, spec }: Origin): string {
  return `${name}.${namespace}.svc:${ENGINES[spec.engine].port}`;
}

export function volumeClaim(origin: Origin): Manifest<"PersistentVolumeClaim"> {
  return {
    metadata: metadata(origin, `${origin.name}-data`),
    spec: {
      accessModes: ["ReadWriteMany"], // all replicas share it, each in a folder of its own
      resources: { requests: { storage: origin.spec.storage } },
    },
  };
}

export function service(origin: Origin): Manifest<"Service"> {
  return {
    metadata: metadata(origin, origin.name),
    spec: {
      selector: labelsOf(origin.name),
      ports: [{ name: "database", port: ENGINES[origin.spec.engine].port }],
    },
  };
}

export function statefulSet(origin: Origin): Manifest<"StatefulSet"> {
  const labels = labelsOf(origin.name);
  return {
    metadata: metadata(origin, origin.name),
    spec: {
      replicas: origin.spec.replicas,
      serviceName: origin.name,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [databaseContainer(origin)],
          volumes: [{ name: "data", persistentVolumeClaim: { claimName: `${origin.name}-data` } }],
        },
      },
    },
  };
}

export function backupJob(origin: Origin): Manifest<"CronJob"> {
  const { dump, port } = ENGINES[origin.spec.engine];
  const container = {
    name: "backup",
    image: imageOf(origin.spec),
    command: ["sh", "-c", `${dump} > /backup/$(date +%F).sql`],
    env: [{ name: "DATABASE_HOST", value: origin.name }, { name: "DATABASE_PORT", value: `${port}` }],
    volumeMounts: [{ name: "data", mountPath: "/backup", subPath: "backups" }],
  };
  const volume = { name: "data", persistentVolumeClaim: { claimName: `${origin.name}-data` } };
  const pod = { restartPolicy: "OnFailure", containers: [container], volumes: [volume] };
  return {
    metadata: metadata(origin, `${origin.name}-backup`),
    spec: {
      schedule: "30 2 * * *",
      concurrencyPolicy: "Forbid",
      jobTemplate: { spec: { template: { spec: pod } } },
    },
  };
}

/** It gets no owner: it is what remains. */
export function finalSnapshot({ name, namespace, spec }: Origin): Manifest<"ConfigMap"> {
  return {
    metadata: { name: `${name}-final-snapshot`, namespace, labels: labelsOf(name) },
    data: { "spec.json": JSON.stringify(spec, null, 2) },
  };
}

function metadata({ name, namespace }: Origin, ownName: string): Applied<unknown, unknown>["metadata"] {
  return { name: ownName, namespace, labels: labelsOf(name) };
}

function databaseContainer({ name, spec }: Origin) {
  const { port, dataPath } = ENGINES[spec.engine];
  return {
    name: "database",
    image: imageOf(spec),
    ports: [{ name: "database", containerPort: port }],
    env: [{ name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
    envFrom: [{ secretRef: { name: `${name}-credentials`, optional: true } }],
    volumeMounts: [{ name: "data", mountPath: dataPath, subPathExpr: "$(POD_NAME)" }],
  };
}
