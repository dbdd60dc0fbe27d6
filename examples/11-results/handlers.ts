/**
 * What handlers return and what they write: results under their ids, and a status of one's own.
 */
import { operator, resource } from "@lotse/lotse";

interface SurveySpec {
  questions: string[];
}

interface SurveyStatus {
  phase?: "Open" | "Closed";
  publish?: { url: string; at: string };
  count?: number;
}

const Survey = resource<SurveySpec, SurveyStatus>({
  group: "example.com",
  version: "v1",
  plural: "surveys",
});

const op = operator();

// What is returned goes to `status.publish`: members are merged into what is there, anything else replaces it.
op.on.create(Survey, function publish({ name, started, patch }) {
  patch.status.phase = "Open";
  return { url: `https://surveys.example.com/${name}`, at: started.toISOString() };
});

op.on.create(Survey, function count({ spec }) {
  return spec.questions.length;
});

op.on.field(Survey, "status.phase", function announce({ old, new: phase, status, logger }) {
  logger.info("Phase", { old, phase, url: status.publish?.url });
});

export default op;
