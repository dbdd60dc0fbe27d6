/** Answers each request with an object of 1.2 KB, over HTTP/1.1 and HTTP/2, to clients with a certificate. Prints its port. */

import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import process from "node:process";

const { ca, cert, key } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const answer = JSON.stringify({
  kind: "Item",
  metadata: { name: "one" },
  spec: { payload: "x".repeat(1100) },
});
const server = createSecureServer({
  ca,
  cert,
  key,
  requestCert: true,
  rejectUnauthorized: true,
  allowHTTP1: true,
});
server.on("request", (request, response) => {
  request.resume();
  request.on("end", () => {
    response.writeHead(200, { "content-type": "application/json", "content-length": answer.length });
    response.end(answer);
  });
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
