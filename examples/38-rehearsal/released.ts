/** The code that runs in the cluster now. */
import { shopOperator } from "./shop.ts";

export default shopOperator({ label: "app", memory: "128Mi" });
