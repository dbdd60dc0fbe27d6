/** placeholder */
import type { ServeOptions, Server } from "./host.ts";
export function serveNode(_options: ServeOptions): Promise<Server> {
  return Promise.reject(new Error("Not there yet"));
}
