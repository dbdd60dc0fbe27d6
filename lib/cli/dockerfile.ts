/**
 * The Dockerfile of an operator: one executable and the files that it needs, without a shell.
 *
 * `new` writes it into projects, and `generate dockerfile` prints it for projects that exist already: the same text.
 */

/** The runtime that develops, tests and builds a project. Deno builds with its own compiler, the others with Bun's. */
export type Runtime = "deno" | "bun" | "node";

export interface DockerfileOptions {
  /** The operator's, as in the image's name. */
  readonly name: string;
  readonly runtime: Runtime;
  /** The handler files, by their paths in the folder that Docker is given. */
  readonly files: readonly string[];
  /** Whether the image begins with nothing, and gets the C library from where it was built. Default: false. */
  readonly isFromScratch?: boolean;
}

/**
 * Where executables are made. By digest, as the image of a tag can be replaced.
 *
 * No registry can be reached where this is written. A digest stands here only if several public repositories, independent of
 * each other, pin the same one for the tag; a wrong one can at worst not be pulled. For Bun's there is none yet.
 */
const BUILD_IMAGES: Readonly<Record<Runtime, string>> = {
  deno: "denoland/deno:2.9.6@sha256:2014dc167ece617ef7e7ba40631ac2234c59e75ce693e7cc2dc2602b3c87859d",
  bun: "oven/bun:1.4.5",
  node: "node:24.20.0-bookworm-slim@sha256:ba849c60be29959425b8734d57b8b4b7d56f98edd9504c9af091d5281095a71e",
};

/** Where executables run. The same as in Dockerfile.distroless, as a test sees to. */
const BASE_IMAGE =
  "gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f";

/** Commands that install a project's packages, and start the command line that is among them. */
const COMMANDS: Readonly<Record<Runtime, { readonly install: string; readonly lotse: string }>> = {
  deno: { install: "deno install", lotse: "deno run -A @lotse/lotse/cli" },
  bun: { install: "bun install --frozen-lockfile", lotse: "bun --bun lotse" },
  node: { install: "npm ci", lotse: "npx lotse" },
};

/** Returns the text. */
export function dockerfile(options: DockerfileOptions): string {
  const { name, isFromScratch = false } = options;
  return `# docker build -t registry.example.com/${name}:0.1.0 .
# Where the repository's .git is left out, tell the commit: --build-arg COMMIT=$(git rev-parse --short=12 HEAD)
# Dependabot renews tags and digests of images (.github/dependabot.yml), as Renovate does; by hand: docker buildx imagetools
# inspect IMAGE:TAG prints today's digest.
${buildStage(options)}
${isFromScratch ? SCRATCH : DISTROLESS}USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["/operator"]
CMD ["--all-namespaces", "--liveness", "http://0.0.0.0:8080/healthz"]
`;
}

function buildStage({ runtime, files }: DockerfileOptions): string {
  const { install, lotse } = COMMANDS[runtime];
  const image = BUILD_IMAGES[runtime];
  const digest = image.includes("@") ? "" : `
# NB: this tag may move. Write its digest behind it: docker buildx imagetools inspect ${image}`;
  const backend = runtime === "deno" ? " --backend deno" : "";
  return `${digest}
FROM ${image} AS build
WORKDIR /src
COPY . .
ARG COMMIT=
ENV LOTSE_BUILD_COMMIT=$COMMIT
RUN ${install} && ${lotse} build ${files.map(quote).join(" ")} -o operator${backend}
`;
}

const DISTROLESS = `# cc has the C library that the executable needs, and no shell.
FROM ${BASE_IMAGE}
COPY --from=build /src/operator /operator
`;

/** A test runs this command, and an operator in the folder that it makes. */
const SCRATCH =
  `# The files of the C library that the executable is linked against, where it looks for them, and a place for /proc.
RUN mkdir -p /root-folder/proc && cp operator /root-folder/ && for file in $(ldd ./operator | grep -o '/[^ ]*'); do \\
      mkdir -p "/root-folder$(dirname "$file")" && cp -L "$file" "/root-folder$file"; done

FROM scratch
COPY --from=build /root-folder /
`;

/** For the shell that RUN starts. */
function quote(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
