/** Asks an operator in the process how it is. */

import type { TimedWorld } from "./virtual_world.ts";

/** Where operators answer probes; give it to `world.start()`. */
export const LIVENESS = "http://localhost:8080/healthz";

export type Answer = readonly [status: number, text: string];

/** Asks for a path, and lets time pass until the answer has come. */
export async function ask({ host }: TimedWorld, path: string): Promise<Answer> {
  using connection = host.network.connect({ server: "http://localhost:8080" });
  let isAnswered = false;
  async function send(): Promise<Answer> {
    const response = await connection.request({ method: "GET", path, headers: {} });
    return [response.status, await response.text()];
  }
  const answer = send().then((value) => () => value, (error: unknown) => () => {
    throw error;
  }).finally(() => isAnswered = true);
  await host.clock.until(() => isAnswered);
  return (await answer)();
}
