/**
 * Modules that operators load when they need them. In virtual time they are loaded before: a virtual clock does not wait for files that
 * are really read.
 */

import "../../engines/metrics/metrics.ts";
import "../../engines/metrics/metrics_gate.ts";
import "../../engines/replicas/options.ts";
import "../../engines/replicas/replicas.ts";
import "../../engines/tracing.ts";
import "../../handlers/admission/app.ts";
import "../../runtime/certificate_facts.ts";
import "../../runtime/certificates.ts";
import "../../runtime/yaml.ts";
