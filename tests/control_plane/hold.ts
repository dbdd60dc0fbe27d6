/** A program for component_test.ts: starts a component, prints its process id, and waits to be killed. */

import process from "node:process";
import { startComponent } from "./component.ts";

const directory = process.argv[2] ?? "";
const command = ["sleep", "600"] as const;
const component = startComponent({ name: "sleep", command, args: [], directory, ownsDirectory: true });
console.log(component.pid);
await component.end;
