// The load generator: makes the objects and says what became of them. It is in Go, and prepares what it sends, so that it
// takes as little as it can of the cores that it shares with what is measured; each answer says how much it took.
//
// The first argument is the command, flags follow; what it has seen goes to standard output as a line of JSON.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"
)

// What all commands are told.
type flags struct {
	server    string
	folder    string
	namespace string
	prefix    string
	marker    string
	count     int
	writers   int
	perSecond int
	bytes     int
	raw       int
	url       string
	seconds   int
	// Of the template in a large object.
	containers int
}

var commands = map[string]func(flags) (any, error){
	"first":    first,
	"burst":    burst,
	"paced":    paced,
	"copy":     copyObjects,
	"touch":    touchObjects,
	"clear":    clearObjects,
	"review":   review,
	"stand-in": serveStandIn,
	"proxy":    proxy,
}

func main() {
	var f flags
	set := flag.NewFlagSet("load", flag.ExitOnError)
	set.StringVar(&f.server, "server", "", "the API server's URL")
	set.StringVar(&f.folder, "folder", "", "the control plane's folder: ca.crt, admin.crt, admin.key, etcd.sock")
	set.StringVar(&f.namespace, "namespace", "default", "where the objects are")
	set.StringVar(&f.prefix, "prefix", "object", "what their names begin with")
	set.StringVar(&f.marker, "marker", "", "a text in the JSON of objects whose notes are written, too")
	set.IntVar(&f.count, "count", 1000, "how many objects, or changes of objects")
	set.IntVar(&f.writers, "writers", 32, "how many requests at a time")
	set.IntVar(&f.perSecond, "per-second", 50, "how many objects or changes a second, where they come evenly")
	set.IntVar(&f.bytes, "bytes", 800, "the size of an object's payload")
	set.IntVar(&f.raw, "raw", 0, "how many patches the writers make themselves, in place of an operator")
	set.IntVar(&f.containers, "containers", 0, "how many containers an object's template has in place of a payload")
	set.StringVar(&f.url, "url", "", "of the webhook")
	set.IntVar(&f.seconds, "seconds", 5, "how long reviews are sent")
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fail(fmt.Errorf("the first argument must be a command"))
	}
	_ = set.Parse(os.Args[2:])
	answer, err := commands[os.Args[1]](f)
	if err != nil {
		fail(err)
	}
	say(answer)
}

// say writes a line of JSON.
func say(answer any) {
	_ = json.NewEncoder(os.Stdout).Encode(answer)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "load:", err)
	os.Exit(1)
}

// cpu returns the seconds of processor time that this process has taken.
func cpu() float64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

// objectBody returns the JSON of a new object.
func objectBody(f flags, name string) []byte {
	const head = `{"apiVersion":"bench.lotse.dev/v1","kind":"Item","metadata":{"name":%q},"spec":{"payload":"%s"`
	if f.containers > 0 {
		return fmt.Appendf(nil, head+`,"template":%s}}`, name, "", podTemplate(f.containers))
	}
	payload := bytes.Repeat([]byte("x"), f.bytes)
	return fmt.Appendf(nil, head+`}}`, name, payload)
}
