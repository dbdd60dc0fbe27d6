/** All files about types, in one process: the compiler, whose word they take, reads the whole surface for each process anew. */

import "./fields.ts";
import "./inference.ts";
import "./memo.ts";
import "./reconcile.ts";
import "./stanzas.ts";
