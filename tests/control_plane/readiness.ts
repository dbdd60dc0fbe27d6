/**
 * Finding a port for a component, and out when the component is ready. Waits for real time, because components are real
 * processes.
 */

import { randomInt } from "node:crypto";
import { request } from "node:https";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Component } from "./component.ts";
import type { Folder } from "./folder.ts";

const DEADLINE = 60_000;
const PAUSE = 50;

/** @throws {Error} If the component ends, or is not ready after a minute; with the end of its log. */
export async function whenReady(component: Component, isReady: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE;
  while (!(await isReady())) {
    if (component.ended) {
      throw new Error(`Cannot start ${component.name}: it has ended. Its log's end:\n${component.tail()}`);
    }
    if (performance.now() > deadline) {
      throw new Error(
        `Cannot start ${component.name}: not ready after 60 s. Its log's end:\n${component.tail()}`,
      );
    }
    await sleep(PAUSE);
  }
}

/** Whether somebody listens on the Unix socket. */
export function isListening(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

/** Whom to trust, and who asks. */
type Administrator = Pick<Folder, "adminToken"> & { readonly authority: { readonly certificate: string } };

/** Whether the administrator gets 200 for the URL; false as well if there is no such server, or a stranger's. */
export function answersOk(url: string, administrator: Administrator): Promise<boolean> {
  return textOf(url, administrator).then(() => true, () => false);
}

/**
 * Returns what the administrator gets for the URL.
 *
 * @throws {Error} If the answer's status is not 200, or there is no answer within five seconds.
 */
export function textOf(url: string, administrator: Administrator, accept = "*/*"): Promise<string> {
  const { authority, adminToken } = administrator;
  const options = {
    ca: authority.certificate,
    headers: { authorization: `Bearer ${adminToken}`, accept },
    agent: false,
    timeout: 5000,
  };
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const outgoing = request(url, options, (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (part: string) => text += part).on("error", reject);
    response.on("end", () => {
      if (response.statusCode === 200) resolve(text);
      else reject(new Error(`${url} was answered with ${response.statusCode}: ${text}`));
    });
  });
  outgoing.once("timeout", () => outgoing.destroy(new Error("Timed out")));
  outgoing.once("error", reject);
  outgoing.end();
  return promise;
}

/** Returns the JSON that the administrator gets for the URL. */
export function readJson(
  url: string,
  { authority, adminToken }: Folder,
): Promise<Readonly<Record<string, unknown>>> {
  const headers = { authorization: `Bearer ${adminToken}` };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { ca: authority.certificate, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => text += piece);
      response.on("end", () => resolve(JSON.parse(text)));
    });
    outgoing.once("error", reject);
    outgoing.end();
  });
}

/**
 * Finds a free port below those that Linux and macOS hand out by themselves, so that neither connections nor servers of
 * other tests take it while the API server is stopped. Another control plane may still be faster: then try again.
 */
export async function findPort(): Promise<number> {
  while (true) {
    const port = randomInt(15_000, 30_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
