/** What a Website looks like: the same facts as in crd.yaml, for the compiler. */
import { type Condition, resource } from "@lotse/lotse";

export interface WebsiteSpec {
  text: string;
  replicas: number;
}

export interface WebsiteStatus {
  url?: string;
  checks?: number;
  conditions?: Condition[];
}

export const Website = resource<WebsiteSpec, WebsiteStatus>({
  group: "example.com",
  version: "v1",
  plural: "websites",
});
