package main

import (
	"bufio"
	"net"
	"os"
	"strings"
	"sync/atomic"
)

// What has gone through a proxy so far, in bytes on the wire: with TLS, headers and, in HTTP/2, frames.
type traffic struct {
	Sent     int64 `json:"sent"`
	Received int64 `json:"received"`
}

// proxy passes connections on to the API server as they are, and counts. It says its port, and the traffic for each line of
// its standard input, until that ends.
func proxy(f flags) (any, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	say(map[string]int{"port": listener.Addr().(*net.TCPAddr).Port})
	var sent, received atomic.Int64
	go func() {
		for {
			ours, err := listener.Accept()
			if err != nil {
				fail(err)
			}
			theirs, err := net.Dial("tcp", strings.TrimPrefix(f.server, "https://"))
			if err != nil {
				fail(err)
			}
			go pass(theirs, ours, &sent)
			go pass(ours, theirs, &received)
		}
	}()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		say(traffic{sent.Load(), received.Load()})
	}
	return traffic{sent.Load(), received.Load()}, nil
}

// NB: not io.Copy: it would count when the connection ends only.
func pass(to, from net.Conn, count *atomic.Int64) {
	buffer := make([]byte, 1<<16)
	for {
		length, err := from.Read(buffer)
		count.Add(int64(length))
		if length > 0 {
			if _, err := to.Write(buffer[:length]); err != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	_ = to.Close()
	_ = from.Close()
}
