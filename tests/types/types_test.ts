/** Files about types run; that they compile is said by `compiled_test.ts`, by `deno task static`, and where Deno is asked for this file. */

import "./fields.ts";
import "./inference.ts";
import "./memo.ts";
import "./reconcile.ts";
import "./stanzas.ts";
