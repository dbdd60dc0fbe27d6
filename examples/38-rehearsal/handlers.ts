/** The next release: more memory, and the label that Kubernetes recommends. */
import { shopOperator } from "./shop.ts";

export default shopOperator({ label: "app.kubernetes.io/name", memory: "256Mi" });
