/** Stands for the tools of the database: the first backup finds no room, and nothing can be migrated to version 13. */
import { PermanentError, TemporaryError } from "@lotse/lotse";

const tried = new Set<string>();

export function backUp(name: string): void {
  if (tried.has(name)) return;
  tried.add(name);
  throw new TemporaryError("There is no room for the backup", { delay: 10 });
}

export function migrate(_name: string, version: number): void {
  if (version === 13) throw new PermanentError("The tables do not fit version 13");
}

export function restart(_name: string): void {}
