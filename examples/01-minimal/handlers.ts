/**
 * The smallest operator that does something: it greets whom it is told to greet.
 *
 * Three handlers, one per cause. What they leave in `patch` is written onto the object when they return.
 */
import { operator, resource } from "@lotse/lotse";

interface GreetingSpec {
  whom: string;
}

interface GreetingStatus {
  message?: string;
}

const Greeting = resource<GreetingSpec, GreetingStatus>({
  group: "example.com",
  version: "v1",
  plural: "greetings",
});

const op = operator();

op.on.create(Greeting, function greet({ spec, patch, logger }) {
  patch.status.message = `Hello, ${spec.whom}!`;
  logger.info("Greeted", { whom: spec.whom });
});

op.on.update(Greeting, function greetAnew({ spec, status, patch, logger }) {
  patch.status.message = `Hello, ${spec.whom}!`;
  logger.info("Greeted anew", { whom: spec.whom, before: status.message });
});

op.on.delete(Greeting, function sayGoodbye({ spec, logger }) {
  logger.info("Said goodbye", { whom: spec.whom });
});

export default op;
