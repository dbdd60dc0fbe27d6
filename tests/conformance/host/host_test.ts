/** The host of the runtime that runs the tests is held to what `lib/runtime/host.ts` promises. */

import { currentHost } from "../../../lib/runtime/current_host.ts";
import { clockSuite } from "./clock_suite.ts";
import { filesSuite } from "./files_suite.ts";
import { processSuite } from "./process_suite.ts";
import { proxySuite } from "./proxy_suite.ts";
import { refusedSuite } from "./refused_suite.ts";
import { requestsSuite } from "./requests_suite.ts";
import { serversSuite } from "./servers_suite.ts";
import { streamsSuite } from "./streams_suite.ts";
import { tlsSuite } from "./tls_suite.ts";
import { upgradeSuite } from "./upgrade_suite.ts";

for (
  const suite of [
    clockSuite,
    filesSuite,
    processSuite,
    requestsSuite,
    refusedSuite,
    streamsSuite,
    tlsSuite,
    upgradeSuite,
    serversSuite,
    proxySuite,
  ]
) {
  suite(currentHost);
}
