import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { createAuthority } from "../../lib/runtime/certificates.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { startControlPlane } from "../control_plane/control_plane.ts";
import { findPort } from "../control_plane/readiness.ts";
import { lotse, PATIENCE, Program, project } from "./processes.ts";

async function assetsIn(folder: string): Promise<string> {
  await using program = lotse(["apiserver", "--envtest", "assets"], { cwd: folder });
  assert.equal(await program.ended(), 0, program.stderr);
  assert.equal(program.stdout, `KUBEBUILDER_ASSETS=${join(folder, "assets")}\n`);
  return join(folder, "assets");
}

describe("lotse apiserver --envtest", () => {
  it("writes programs that serve as envtest starts them", { timeout: PATIENCE }, async () => {
    const folder = project({});
    const assets = await assetsIn(folder);
    const host = currentHost();
    const authority = await createAuthority({ name: "envtest", now: () => Date.now() });
    const server = await authority.issue({ commonName: "api", server: true, ipAddresses: ["127.0.0.1"] });
    const alice = await authority.issue({
      commonName: "alice",
      organizations: ["system:masters"],
      client: true,
    });
    const certificates = join(folder, "certificates");
    mkdirSync(certificates);
    writeFileSync(join(certificates, "apiserver.crt"), server.certificate);
    writeFileSync(join(certificates, "apiserver.key"), server.key);
    writeFileSync(join(certificates, "client.crt"), authority.certificate);
    const [port, etcdPort] = [await findPort(), await findPort()];
    await using etcd = new Program(join(assets, "etcd"), [
      `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
      `--data-dir=${join(folder, "etcd")}`,
    ]);
    await using api = new Program(join(assets, "kube-apiserver"), [
      "--authorization-mode=RBAC",
      "--bind-address",
      "127.0.0.1",
      `--cert-dir=${certificates}`,
      `--client-ca-file=${join(certificates, "client.crt")}`,
      `--secure-port=${port}`,
      "--disable-admission-plugins=ServiceAccount",
    ]);
    const answer = async (url: string, path: string): Promise<string> => {
      using connection = host.network.connect({
        server: url,
        ca: authority.certificate,
        cert: alice.certificate,
        key: alice.key,
      });
      return await (await connection.request({ method: "GET", path, headers: {} })).text();
    };
    const patient = async (url: string, path: string): Promise<string> => {
      for (let patience = 300; patience > 0; patience--) {
        try {
          return await answer(url, path);
        } catch {
          await host.clock.sleep(0.1);
        }
      }
      assert.fail(`${url} does not answer: ${api.output} ${etcd.output}`);
    };
    const version = JSON.parse(await patient(`https://127.0.0.1:${port}`, "/version"));
    assert.match(version.gitVersion, /^v1\.\d+\.\d+\+lotse$/);
    assert.match(await answer(`https://127.0.0.1:${port}`, "/api/v1/namespaces"), /NamespaceList/);
    assert.match(await patient(`http://127.0.0.1:${etcdPort}`, "/health"), /"health":"true"/);
    assert.match(api.stderr, /These flags have no effect: --disable-admission-plugins\n/);
    assert.deepEqual([await api.stop(), await etcd.stop()], [0, 0]);
  });

  it(
    "writes what can be run, with kubectl if there is one, and runs a command",
    { timeout: PATIENCE },
    async () => {
      const folder = project({ "bin/kubectl": "" });
      const path = `${join(folder, "bin")}:${process.env.PATH}`;
      const args = [
        "apiserver",
        "--envtest",
        "it's here",
        "--",
        "sh",
        "-c",
        "echo $KUBEBUILDER_ASSETS; exit 7",
      ];
      await using program = lotse(args, { cwd: folder, env: { PATH: path } });
      assert.equal(await program.ended(), 7);
      const assets = join(folder, "it's here");
      assert.equal(program.stdout, `${assets}\n`);
      for (const name of ["etcd", "kube-apiserver", "kubectl"]) {
        assert.equal(statSync(join(assets, name)).mode & 0o777, 0o755);
      }
      assert.match(
        readFileSync(join(assets, "kubectl"), "utf8"),
        new RegExp(`exec '${join(folder, "bin/kubectl")}'`),
      );
      await using version = new Program(join(assets, "kube-apiserver"), ["--version"]);
      await version.ended();
      assert.match(version.stdout, /^Kubernetes v1\.\d+\.\d+\+lotse\n$/);
    },
  );

  it(
    "writes nothing that the project's own tests take for a real control plane",
    { timeout: PATIENCE },
    async () => {
      const assets = await assetsIn(project({}));
      const binaries = {
        "etcd": [join(assets, "etcd")],
        "kube-apiserver": [join(assets, "kube-apiserver")],
      } as const;
      await assert.rejects(startControlPlane({ binaries }), /stand-in/);
    },
  );
});
