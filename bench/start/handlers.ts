/** An operator with one handler, which says at once that it was called. */

import { operator, resource } from "@lotse/lotse";

const Widget = resource<{ size: number }, { state?: string }>({
  group: "bench.example.com",
  version: "v1",
  plural: "widgets",
});

const op = operator();

op.on.resume(Widget, { id: "resume" }, handle);
op.on.create(Widget, { id: "create" }, handle);

function handle(): void {
  console.error("FIRST HANDLER");
}

export default op;
