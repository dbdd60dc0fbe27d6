// The control plane that Lotse's tests run against: etcd, kube-apiserver, kube-controller-manager and kubectl in one
// executable, because they share most of their code and there is one file to build, cache and find.
//
// The component is the executable's own name (a link called "etcd" is etcd) or else the first argument; what follows
// goes to that component unchanged. build.ts builds it, control_plane.ts runs it.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"

	kubectl "k8s.io/kubectl/pkg/cmd"
)

func main() {
	if run(filepath.Base(os.Args[0]), os.Args) {
		return
	}
	if len(os.Args) > 1 && run(os.Args[1], os.Args[1:]) {
		return
	}
	fmt.Fprintln(os.Stderr, "usage: control-plane etcd|kube-apiserver|kube-controller-manager|kubectl [flags]")
	os.Exit(2)
}

// run becomes the component of that name, with args[0] as its own name; it returns false if there is no such component.
func run(name string, args []string) bool {
	os.Args = args // NB: cobra and pflag look here, not at what they are given.
	switch name {
	case "etcd":
		etcdmain.Main(args)
	case "kube-apiserver":
		execute(apiserver.NewAPIServerCommand())
	case "kube-controller-manager":
		execute(controllermanager.NewControllerManagerCommand())
	case "kubectl":
		execute(kubectl.NewDefaultKubectlCommand())
	default:
		return false
	}
	return true
}

func execute(command *cobra.Command) {
	os.Exit(cli.Run(command))
}
