/** What a Database looks like: the same facts as in crd.yaml, for the compiler. */
import { type Condition, resource } from "@lotse/lotse";

export type Engine = "postgresql" | "mysql" | "mariadb";

export interface DatabaseSpec {
  engine: Engine;
  version: string;
  /** A quantity such as "10Gi". */
  storage: string;
  replicas: number;
  backupEnabled: boolean;
}

export interface DatabaseStatus {
  state?: "Provisioned" | "Scaling" | "Upgrading";
  /** Where clients connect: "host:port". */
  endpoint?: string;
  /** What a human has yet to do. */
  pendingAction?: string;
  conditions?: Condition[];
}

export const Database = resource<DatabaseSpec, DatabaseStatus>({
  group: "example.com",
  version: "v1",
  plural: "databases",
});
