// Kubernetes' own end-to-end tests of its API, as a program that talks to any server: the packages are imported from
// Kubernetes' module, and nothing of them is copied. `--help` lists the flags, which are those of Kubernetes' e2e.test.
//
// Packages whose tests need running containers throughout are left out. Source: k8s.io/kubernetes, test/e2e.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	conformance "k8s.io/kubernetes/test/conformance/testdata"
	"k8s.io/kubernetes/test/e2e/common"
	"k8s.io/kubernetes/test/e2e/framework"
	"k8s.io/kubernetes/test/e2e/framework/config"
	"k8s.io/kubernetes/test/e2e/framework/testfiles"
	manifests "k8s.io/kubernetes/test/e2e/testing-manifests"
	fixtures "k8s.io/kubernetes/test/fixtures"

	_ "k8s.io/kubernetes/test/e2e/apimachinery"
	_ "k8s.io/kubernetes/test/e2e/apps"
	_ "k8s.io/kubernetes/test/e2e/auth"
	_ "k8s.io/kubernetes/test/e2e/instrumentation"
	_ "k8s.io/kubernetes/test/e2e/kubectl"
	_ "k8s.io/kubernetes/test/e2e/network"
	_ "k8s.io/kubernetes/test/e2e/node"
	_ "k8s.io/kubernetes/test/e2e/scheduling"
)

var _ = ginkgo.BeforeSuite(func(context.Context) {
	common.CurrentSuite = common.E2E
	framework.TestContext.IPFamily = "ipv4"
	framework.TestContext.CloudConfig.NumNodes = 1
})

// outcome is what ginkgo wants of a test: whether it failed.
type outcome struct{ failed bool }

func (o *outcome) Fail() { o.failed = true }

func main() {
	config.CopyFlags(config.Flags, flag.CommandLine)
	framework.RegisterCommonFlags(flag.CommandLine)
	framework.RegisterClusterFlags(flag.CommandLine)
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "unknown arguments: %v\n", flag.Args())
		os.Exit(2)
	}
	testfiles.AddFileSource(manifests.GetE2ETestingManifestsFS())
	testfiles.AddFileSource(fixtures.GetTestFixturesFS())
	testfiles.AddFileSource(conformance.GetConformanceTestdataFS())
	framework.AfterReadingAllFlags(&framework.TestContext)
	gomega.RegisterFailHandler(framework.Fail)
	suite, reporter := framework.CreateGinkgoConfig()
	suite.RandomizeAllSpecs = false
	var result outcome
	if !ginkgo.RunSpecs(&result, "Kubernetes e2e suite", suite, reporter) || result.failed {
		os.Exit(1)
	}
}
