// Package suites has nothing of its own: controller-runtime's tests are built from its module, and need what that needs.
package suites
