// Package start starts the program that the variable SERVER names, with kube-apiserver's flags, for tests that would start a server in
// their own process.
package start

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const (
	token = "administrator"
	// NotPossible begins what tests say that cannot have the server that they want. They are not run.
	NotPossible = "Not with a server that is another process: "
)

// Server is a server that was started.
type Server struct {
	Config *rest.Config
	// Folder is for its certificates, and for it alone.
	Folder string
	Stop   func()
}

// New starts one. The flags are kube-apiserver's.
func New(flags ...string) (server Server, err error) {
	server.Folder, err = os.MkdirTemp("", "server")
	if err != nil {
		return server, err
	}
	port, err := freePort()
	if err != nil {
		return server, err
	}
	command := strings.Fields(os.Getenv("SERVER"))
	if len(command) == 0 {
		return server, errors.New("SERVER names no program")
	}
	args := append(command[1:], fmt.Sprintf("--secure-port=%d", port), "--cert-dir="+server.Folder, "--authorization-mode=AlwaysAllow")
	flags, err = withAdministrator(flags, filepath.Join(server.Folder, "tokens.csv"))
	if err != nil {
		return server, err
	}
	program := exec.Command(command[0], append(args, flags...)...)
	program.Stderr = os.Stderr
	if err := program.Start(); err != nil {
		return server, err
	}
	server.Stop = func() {
		_ = program.Process.Kill()
		_ = program.Wait()
		_ = os.RemoveAll(server.Folder)
	}
	server.Config = &rest.Config{
		Host:            fmt.Sprintf("https://127.0.0.1:%d", port),
		BearerToken:     token,
		TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(server.Folder, "server-ca.crt")},
		QPS:             1000,
		Burst:           10000,
	}
	if err := waitUntilReady(server.Config); err != nil {
		server.Stop()
		return server, err
	}
	return server, nil
}

// withAdministrator adds our token to those that the flags may name.
func withAdministrator(flags []string, path string) ([]string, error) {
	// As whom a server in the tests' own process asks itself.
	lines := token + ",system:apiserver,system:apiserver,system:masters\n"
	kept := []string{"--token-auth-file=" + path}
	for _, flag := range flags {
		given, found := strings.CutPrefix(flag, "--token-auth-file=")
		if !found {
			kept = append(kept, flag)
			continue
		}
		content, err := os.ReadFile(given)
		if err != nil {
			return nil, err
		}
		lines += string(content)
	}
	return kept, os.WriteFile(path, []byte(lines), 0o600)
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// waitUntilReady asks with a client of its own each time: the certificate is not there before the server is.
func waitUntilReady(config *rest.Config) error {
	ask := func(ctx context.Context) (bool, error) {
		client, err := kubernetes.NewForConfig(rest.CopyConfig(config))
		if err != nil {
			return false, nil
		}
		return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error() == nil, nil
	}
	return wait.PollUntilContextTimeout(context.Background(), 50*time.Millisecond, time.Minute, true, ask)
}
